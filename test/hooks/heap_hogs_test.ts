import { assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl } from "@std/path";

const program = fromFileUrl(new URL("heap_hog.ts", import.meta.url));
const config = fromFileUrl(new URL("../../deno.json", import.meta.url));

/** What came of an extension with this source, and of a good one beside it. */
async function ranBesideGood(source: string): Promise<{ readonly lost: string; readonly others: unknown }> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-prompt", "--no-check", "--cached-only", "--config", config, program, source],
    stdin: "null",
  }).output();
  assertEquals(code, 0, new TextDecoder().decode(stderr));
  const { lost, ...others } = JSON.parse(new TextDecoder().decode(stdout));
  return { lost, others };
}

/** Each fills the heap faster than anybody looks, or in one step. */
const HEAP_HOGS = [
  { name: "objects", body: "const kept = []; for (;;) kept.push({ x: 1, y: [1, 2, 3] });" },
  {
    name: "texts that double",
    body: 'let text = "x"; const kept = []; for (;;) kept.push(text = (text + text).slice(-1e8) + 1);',
  },
  { name: "one list that doubles", body: "let list = [1]; for (;;) list = [...list, ...list];" },
  { name: "one list of a gigabyte", body: "const kept = []; for (;;) kept.push(new Array(1.2e8).fill(1.5));" },
  { name: "a map", body: "const map = new Map(); for (let i = 0;; i++) map.set(i, { i });" },
  {
    name: "what JSON.parse makes",
    body: "const text = `[${'{\"a\":[1,2,3]},'.repeat(2e5)}1]`; const kept = []; for (;;) kept.push(JSON.parse(text));",
  },
  {
    name: "what a pattern finds",
    body: 'const text = "a".repeat(1e7); const kept = []; for (;;) kept.push(text.match(/a/g));',
  },
  {
    name: "whatever happens",
    body: "const kept = []; for (;;) { try { for (;;) kept.push({ x: [1] }); } catch { kept.push(1); } }",
  },
] as const;

for (const { name, body } of HEAP_HOGS) {
  Deno.test(`a heap full of ${name} costs its own worker`, async () => {
    const { lost, others } = await ranBesideGood(
      `sp.registerTool({ name: "hog", description: "d", parameters: { type: "object" }, execute: () => { ${body} } });`,
    );
    assertEquals<unknown>([lost, others], ["it took too much memory", { isError: true, good: "t good" }]);
  });
}

Deno.test("a heap that fills in a timer, after every other one was cleared, costs its own worker", async () => {
  const { lost, others } = await ranBesideGood(`
    sp.on("session_start", () => {
      for (let id = 0; id < 1000; id++) clearTimeout(id);
      setTimeout(() => { let list = [1]; for (;;) list = [...list, ...list]; }, 10);
    });`);
  assertMatch(lost, /too much memory|crashed/);
  assertEquals<unknown>(others, { isError: true, good: "t good" });
});
