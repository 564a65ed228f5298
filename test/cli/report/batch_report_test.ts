// A folder of results is shared, or comes from elsewhere: whoever wrote the records can have written anything into them.
import { assertEquals, assertMatch } from "@std/assert";
import { parseCommandLine } from "../../../src/config/options/parse.ts";
import { batchReport } from "../../../src/cli/batch/report.ts";
import { recordOf } from "../../../src/batch/results.ts";

const NAME = "a\x1b]0;owned\x07\u202e|<img src=x>\n| passed |\x9b2J";

Deno.test("batch report shows names of records as text in each format, and reads records alone", async () => {
  const folder = Deno.makeTempDirSync();
  try {
    const task = { id: NAME, group: NAME, digest: "d", workspace: { kind: "folder", path: "/w" } } as const;
    const end = { exitCode: 0, durationMs: 1, startedAt: new Date(0), proven: true };
    const attempt = { task: { ...task, prompt: "p", attempts: 1, args: [], isReadOnly: true }, number: 1, key: "a.1" };
    Deno.mkdirSync(`${folder}/results/a/1`, { recursive: true });
    Deno.writeTextFileSync(`${folder}/results/a/1/attempt.json`, JSON.stringify(recordOf(attempt, {}, end)));
    // Read, a pipe would be waited for, and this one has no end.
    for (const [number, target] of [["2", "/dev/zero"], ["3", `${folder}/results/a/1/attempt.json`]] as const) {
      Deno.mkdirSync(`${folder}/results/a/${number}`);
      Deno.symlinkSync(target, `${folder}/results/a/${number}/attempt.json`);
    }
    for (const format of ["text", "md", "html", "json"]) {
      const output = `${folder}/${format}`;
      const words = ["batch", "report", folder, "--format", format, "-o", output, "-q"];
      assertEquals(await batchReport(parseCommandLine(words)), 0);
      const page = Deno.readTextFileSync(output);
      // deno-lint-ignore no-control-regex -- controls are what this is about
      assertEquals(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]/.exec(page), null, format);
      assertMatch(page, format === "html" ? /&lt;img/ : format === "md" ? /\\<img/ : /<img/);
      if (format === "md") assertEquals(page.split("\n").filter((line) => /\| passed \|/.test(line)).length, 3);
      if (format === "json") assertEquals(JSON.parse(page).batches[0].summary.tasks[0].name, NAME);
      else if (format !== "html") {
        assertEquals(page.split("\n").filter((line) => /^\s*\|? passed/.test(line)), [], format);
      }
    }
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
