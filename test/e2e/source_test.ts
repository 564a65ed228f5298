import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { cassette, inWorkspace, run, SOURCE } from "../helpers/program.ts";
import { promises } from "./promises.ts";

promises(SOURCE);

Deno.test("from source: what is recorded is run again as a process of its own", () =>
  inWorkspace({ "a.txt": "one" }, async ({ ws, home }) => {
    const env = { HOME: home };
    const replies = cassette(home, [{ calls: [{ name: "read", args: { path: "a.txt" } }] }, { text: "done" }]);
    const file = join(home, "run.jsonl");
    await run(SOURCE, ["-p", "-m", `replay:${replies}`, "--record", file, "go"], { cwd: ws, env });
    const checked = await run(SOURCE, ["check", file], { cwd: ws, env });
    assertEquals([checked.code, checked.stderr], [0, ""], checked.stdout);
  }));
