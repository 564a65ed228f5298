import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { link, type LinkModule } from "../../../src/hooks/code/linker.ts";
import { transpile } from "../../../src/hooks/code/transpile.ts";

/** Links modules given as TypeScript, the first one as the entry; `./NAME` means a file of this list. */
async function run(files: Readonly<Record<string, string>>): Promise<Record<string, unknown>> {
  const imports = Object.fromEntries(Object.keys(files).map((name) => [`./${name}`, `/x/${name}`]));
  const modules: LinkModule[] = [];
  for (const [name, text] of Object.entries(files)) {
    const code = name.endsWith(".json") ? text : await transpile(`/x/${name}`, text);
    modules.push({ path: `/x/${name}`, code, imports });
  }
  return await link(modules, {
    evaluate: globalThis.eval,
    external: (name) => Promise.resolve(name === "known" ? { __esModule: true, default: 1, two: 2 } : undefined),
    externals: ["known"],
  });
}

Deno.test("link() runs each module once, what it needs first, in the order of the imports", async () => {
  const order = "globalThis.order = [...(globalThis.order ?? []),";
  const exports = await run({
    "a.ts":
      `import "./b.ts"; import { c } from "./c.ts"; ${order} "a"]; export const seen = globalThis.order; export { c }`,
    "b.ts": `import "./d.ts"; await null; ${order} "b"];`,
    "c.ts": `import "./d.ts"; ${order} "c"]; export const c = 3;`,
    "d.ts": `await new Promise((done) => setTimeout(done, 5)); ${order} "d"];`,
  });
  assertEquals([exports["seen"], exports["c"]], [["d", "b", "c", "a"], 3]);
});

Deno.test("link() knows all forms of imports and exports", async () => {
  const { default: value } = await run({
    "a.ts": `
      import d, { named as n, type T } from "./b.ts";
      import * as all from "./b.ts";
      import json from "./c.json" with { type: "json" };
      import one, { two } from "known";
      export * from "./b.ts";
      export { named as again } from "./b.ts";
      const t: T = 1;
      export default [d, n, all.named, json.k, one, two, (await import("./b.ts")).named,
        (await import("./c.json", { with: { type: "json" } })).default.k, (await import("known")).two, t,
        import.meta.url, "import('x')", { import: 5 }.import];`,
    "b.ts": `export type T = number; export const named = "n"; export default "d";`,
    "c.json": '{"k":"v"}',
  });
  assertEquals(value, ["d", "n", "n", "v", 1, 2, "n", "v", 2, 1, "file:///x/a.ts", "import('x')", 5]);
});

Deno.test("link() lets modules import each other in a circle, with what changes later", async () => {
  const { result } = await run({
    "a.ts":
      `import { b, bump } from "./b.ts"; export const a = () => "a"; bump(); export const result = [b(), bump()];`,
    "b.ts":
      `import { a } from "./a.ts"; export let n = 0; export const bump = () => ++n; export const b = () => a() + n;`,
  });
  assertEquals(result, ["a1", 2]);
});

Deno.test("link() names file and line of what fails", async () => {
  const thrown = await assertRejects(() => run({ "a.ts": `type A = 1;\n\nthrow new Error("boom");` }));
  assertMatch(thrown.stack ?? "", /\/x\/a\.ts.*:3:7/);
  await assertRejects(() => run({ "a.ts": 'import x from "left-pad";\nx;' }), Error, 'Cannot import "left-pad"');
  await assertRejects(
    () => run({ "a.ts": 'await import("./none.ts");' }),
    Error,
    'Cannot import "./none.ts": no such file',
  );
});

Deno.test("link() leaves no import that the runtime would follow", async () => {
  const modules = [{ path: "/x/a.js", code: 'exports.got = import("/etc/hostname")', imports: {} }];
  await assertRejects(
    () => link(modules, { evaluate: globalThis.eval, external: () => Promise.resolve(undefined), externals: [] }),
    SyntaxError,
  );
});

const NAMESPACES: readonly (readonly [text: string, place: string | undefined])[] = [
  ["namespace A { export const x = 1; }\nexport default () => A.x;", "1:1"],
  ["const a = 1;\n\nexport namespace A.B {\n  export function x() {}\n}", "3:8"],
  ["module A { class B {} }", "1:1"],
  ["namespace A {\n  export namespace B { export let x = 1; }\n}", "2:10"],
  ["namespace A { export enum B { C } }", "1:1"],
  // Types alone, and what only looks like one.
  ["declare namespace A { const x: number; function y(): void; }\nexport default 1;", undefined],
  ["namespace A { export type B = string; export interface C { class: string } }\nexport default 1;", undefined],
  ["declare global { interface A {} }\nexport default 1;", undefined],
  ["export default `namespace A { const x = 1 }`; // namespace B { const y = 1 }", undefined],
  ["let namespace = 1; namespace\nfoo\n{ const x = 1; }", undefined],
];
for (const [text, place] of NAMESPACES) {
  Deno.test(`transpile() ${place === undefined ? "takes" : "refuses"} ${text.replaceAll("\n", " ")}`, async () => {
    if (place === undefined) return void assertEquals(typeof await transpile("/x/a.ts", text), "string");
    const error = await assertRejects(() => transpile("/x/a.ts", text), SyntaxError);
    assertEquals(error.message.endsWith(`(/x/a.ts:${place})`), true, error.message);
    assertMatch(error.message, /^A namespace that holds code is not supported/);
  });
}

Deno.test("transpile() keeps lines and says where a syntax error is", async () => {
  const code = await transpile("/x/a.ts", "interface A {\n  b: number;\n}\nconst c: A = { b: 1 };\nexport { c };");
  assertMatch(code.split("\n")[3] ?? "", /const c *= \{ b: 1 \}/);
  const error = await assertRejects(() => transpile("/x/a.ts", "const a = 1;\nlet b: = 2;"), SyntaxError);
  assertMatch(error.message, /\(\/x\/a\.ts:2:8\)$/);
});
