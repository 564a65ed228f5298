import { assert, assertEquals } from "@std/assert";
import { isThere } from "../../../src/core/support/on_disk.ts";
import { inWorkspace, PROGRAM, run } from "../../helpers/program.ts";

// A repository has files that are called like a keyword or like an ID of a session. A word without a slash is never such a file.

const MARK = "TAKEN-FROM-THE-FILE";
const PATCH = `diff --git a/${MARK} b/${MARK}\nnew file mode 100644\n--- /dev/null\n+++ b/${MARK}\n@@ -0,0 +1 @@\n+x\n`;
const WORDS = ["latest", "all", "01a2012f"];

/** Every place of the command line that takes a session: the word stands for WORD. */
const SESSIONS: readonly (readonly string[])[] = [
  ["-p", "-m", "replay:../outside/cassette.jsonl", "-r", "WORD", "--", "go"],
  ["-p", "-m", "replay:../outside/cassette.jsonl", "--fork", "WORD", "--", "go"],
  ["sessions", "show", "WORD"],
  ["sessions", "tree", "WORD"],
  ["sessions", "export", "WORD"],
  ["sessions", "rename", "WORD", "x"],
  ["sessions", "delete", "WORD", "--yes"],
  ["audit", "WORD"],
  ["undo", "WORD"],
  ["apply", "WORD"],
  ["apply", "WORD", "a.txt"],
];

function sessionText(cwd: string): string {
  const head = { type: "session", version: 3, id: "01a2012f-0000-7000-8000-000000000000", cwd };
  const message = { role: "user", content: MARK, timestamp: 1 };
  return [{ ...head, timestamp: "2026-01-01T00:00:00.000Z" }, {
    ...{ type: "message", id: "aaaaaaaa", parentId: null, timestamp: "2026-01-01T00:00:00.000Z", message },
  }].map((line) => JSON.stringify(line) + "\n").join("");
}

for (const command of SESSIONS) {
  Deno.test(`a word without a slash never names a file: ${command.join(" ")}`, async () => {
    await inWorkspace({ "a.txt": "one\n" }, async ({ ws, home, outside }) => {
      Deno.writeTextFileSync(`${outside}/cassette.jsonl`, JSON.stringify({ text: "ok" }) + "\n");
      const text = command[0] === "apply" ? PATCH : sessionText(ws);
      const asked = async (word: string) => {
        const args = command.map((part) => part === "WORD" ? word : part);
        return await run(PROGRAM, args, { cwd: ws, env: { HOME: home } });
      };
      for (const word of WORDS) {
        Deno.writeTextFileSync(`${ws}/${word}`, text);
        const { code, stdout, stderr } = await asked(word);
        assert(code === 2 || code === 1, `${word}: ${code} ${stdout}${stderr}`);
        assertEquals([stdout, stderr.includes(MARK)], ["", false], word);
        assertEquals(isThere(`${ws}/${MARK}`), false, word);
        assertEquals(Deno.readTextFileSync(`${ws}/${word}`), text);
      }
      // The file itself is as it has to be: with a slash it is taken.
      if (["show", "apply"].some((name) => command.includes(name)) && !command.includes("a.txt")) {
        const { code, stderr } = await asked("./latest");
        assertEquals(code, 0, stderr);
      }
    });
  });
}

Deno.test("the first words of a command are never a file", async () => {
  await inWorkspace({ report: MARK, list: MARK, validate: MARK, import: MARK }, async ({ ws, home }) => {
    for (
      const args of [["batch", "report"], ["agents", "list"], ["skills", "list"], ["agents", "validate"], [
        "sessions",
        "import",
      ]]
    ) {
      const { stdout, stderr } = await run(PROGRAM, args, { cwd: ws, env: { HOME: home } });
      assert(!`${stdout}${stderr}`.includes(MARK), args.join(" "));
      assert(!stderr.includes(`${ws}/`), stderr);
    }
  });
});
