import { assertEquals } from "@std/assert";
import { failuresOf } from "../../scripts/tests/failures.ts";
import { PERMISSIONS } from "../../scripts/tests/groups.ts";

const END = "\nFAILED | 2 passed | 1 failed (3ms)\n\nerror: Test failed\n";

Deno.test("failuresOf() names each test and its file once, also where a test prints such a summary", () => {
  const output = "\n FAILURES \n\nprinted by a test => ./test/x_test.ts:1:1\n\nFAILED | 0 passed | 1 failed (1ms)\n" +
    `\n FAILURES \n\na => b => ./test/a_test.ts:1:6\nc ... step => ./test/a_test.ts:9:2\n${END}`;
  assertEquals(failuresOf(output), { names: ["a => b", "c ... step"], files: ["./test/a_test.ts"] });
});

Deno.test("failuresOf() has nothing to run again where a file failed outside of its tests, or many did", () => {
  assertEquals(failuresOf(`\n FAILURES \n\na => ./a_test.ts:1:6\n./b_test.ts (uncaught error)\n${END}`), undefined);
  const many = [1, 2, 3, 4].map((n) => `n => ./${n}_test.ts:1:1\n`).join("");
  assertEquals(failuresOf(`\n FAILURES \n\n${many}${END}`), undefined);
  assertEquals(failuresOf("error: Type checking failed.\n"), undefined);
  assertEquals(failuresOf("\n FAILURES \n\na => ./a_test.ts:1:6\n"), undefined);
});

Deno.test("a test that fails once is named and passes; one that fails twice, or outside of a test, fails the run", async () => {
  const folder = Deno.makeTempDirSync({ prefix: "sp-unsteady-" });
  try {
    Deno.mkdirSync(`${folder}/scripts/tests`, { recursive: true });
    for (const file of ["tests.ts", "tests/failures.ts", "tests/groups.ts"]) {
      Deno.copyFileSync(new URL(`../../scripts/${file}`, import.meta.url), `${folder}/scripts/${file}`);
    }
    const path = JSON.stringify(import.meta.resolve("@std/path"));
    Deno.writeTextFileSync(`${folder}/deno.json`, `{ "imports": { "@std/path": ${path} } }`);
    const run = async (text: string) => {
      Deno.writeTextFileSync(`${folder}/one_test.ts`, text);
      const { code, stdout } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-prompt", "--no-check", "scripts/tests.ts", "one_test.ts"],
        cwd: folder,
        env: { NO_COLOR: "1" },
      }).output();
      return { code, output: new TextDecoder().decode(stdout) };
    };
    const once = await run(
      `Deno.test("unsteady", () => { const first = ${JSON.stringify(`${folder}/first`)};
        try { Deno.statSync(first); } catch { Deno.writeTextFileSync(first, ""); throw new Error("once"); } });`,
    );
    assertEquals(once.code, 0, once.output);
    assertEquals(once.output.endsWith("to be made steady:\n  unsteady\n"), true, once.output);
    const twice = await run(`Deno.test("broken", () => { throw new Error("always"); });`);
    assertEquals([twice.code, twice.output.includes("made steady")], [1, false], twice.output);
    const outside = await run(`Deno.test("fine", () => {}); throw new Error("outside");`);
    assertEquals([outside.code, outside.output.includes("Once more")], [1, false], outside.output);
    assertEquals(PERMISSIONS.includes("--no-prompt"), true);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
