import { assertEquals } from "@std/assert";
import { dirname, join } from "@std/path";
import { allowed, FOLDERS, importsOf, layerOf, loadedBy, upward, violations } from "../../scripts/check_layers.ts";

const RULES = [
  // What of the past is sent, what a turn adds to the prompt, and what the wire carries know nothing of each other.
  { from: "src/history/rolling.ts", to: "src/agent/retry.ts", ok: false, row: "R303" },
  { from: "src/history/convert.ts", to: "src/provider/openai/chat_messages.ts", ok: false, row: "R303" },
  { from: "src/agent/retry.ts", to: "src/history/rolling.ts", ok: false, row: "R303" },
  { from: "src/agent/retry.ts", to: "src/provider/openai/chat_request.ts", ok: false, row: "R303" },
  { from: "src/provider/openai/chat_request.ts", to: "src/history/convert.ts", ok: false, row: "R303" },
  { from: "src/provider/openai/chat_request.ts", to: "src/agent/retry.ts", ok: false, row: "R303" },
  // Skills are found and chosen by others: the compiler gets what is to be said of them.
  { from: "src/prompt/sections/skills.ts", to: "src/context/skills/selection.ts", ok: false, row: "R127" },
  { from: "src/agent/run.ts", to: "src/core/message.ts", ok: true },
  { from: "src/agent/run.ts", to: "src/provider/mod.ts", ok: false },
  { from: "src/prompt/compile.ts", to: "src/agent/run.ts", ok: false },
  { from: "src/core/support/text.ts", to: "src/agent/run.ts", ok: false },
  { from: "src/engine/engine.ts", to: "src/sandbox/shell/shell.ts", ok: true },
  { from: "src/engine/engine.ts", to: "tools/mod.ts", ok: true },
  { from: "src/engine/engine.ts", to: "src/config/config.ts", ok: true },
  { from: "src/config/config.ts", to: "src/engine/engine.ts", ok: false },
  { from: "src/engine/engine.ts", to: "src/cli/main.ts", ok: false },
  { from: "src/engine/engine.ts", to: "src/tui/app.ts", ok: false },
  { from: "src/cli/modes/run.ts", to: "src/engine/engine.ts", ok: true },
  { from: "src/engine/engine.ts", to: "tools/read.ts", ok: false },
  { from: "src/engine/engine.ts", to: "src/runner/files/files.ts", ok: false },
  { from: "src/runner/dispatch.ts", to: "tools/mod.ts", ok: true },
  { from: "src/runner/dispatch.ts", to: "src/sandbox/policy/policy.ts", ok: false },
  { from: "tools/read.ts", to: "tools/text/truncate.ts", ok: true },
  { from: "tools/read.ts", to: "src/runner/files/files.ts", ok: false },
  { from: "main.ts", to: "src/runner/process.ts", ok: true },
] as const;

for (const { from, to, ok, ...more } of RULES) {
  const row = "row" in more ? more.row : "R30";
  Deno.test(`allowed() ${ok ? "lets" : "does not let"} ${from} import ${to} ${row}`, () => {
    assertEquals(allowed(layerOf(from) ?? "", layerOf(to) ?? "", to), ok);
  });
}

Deno.test("importsOf() sees static, dynamic and type imports and no comments", () => {
  const source = `import { a } from "./a.ts";\nimport type { B } from "../b.ts";\nexport { c } from "./c.ts";
const d = await import("./d.ts");\n// import "./no.ts"\nimport "./e.ts";\nimport x from "npm:x";`;
  assertEquals(importsOf(source).sort(), ["../b.ts", "./a.ts", "./c.ts", "./d.ts", "./e.ts"]);
});

Deno.test("loadedBy() sees what is loaded, and no types", () => {
  const source =
    `import type {\n  A,\n} from "./a.ts";\nimport { type B, b } from "./b.ts";\nimport { type F, type G } from "./f.ts";\nexport type { C } from "./c.ts";
const d = await import("./d.ts");\nexport { e } from "./e.ts";`;
  assertEquals(loadedBy(source).sort(), ["./b.ts", "./d.ts", "./e.ts"]);
});

const FOLDER_RULES = [
  { from: "src/sandbox/shell/shell.ts", to: "src/sandbox/process/tree.ts", ok: true },
  { from: "src/sandbox/process/tree.ts", to: "src/sandbox/shell/shell.ts", ok: false },
  { from: "src/sandbox/shell/shell.ts", to: "src/sandbox/shell/background.ts", ok: true },
  { from: "src/sandbox/policy/policy.ts", to: "src/sandbox/unknown/a.ts", ok: false },
  { from: "src/engine/engine.ts", to: "src/sandbox/shell/shell.ts", ok: true },
  { from: "src/engine/engine.ts", to: "src/engine/tools/toolset.ts", ok: true },
  { from: "src/engine/tools/toolset.ts", to: "src/engine/engine.ts", ok: false },
  { from: "src/session/export/text.ts", to: "src/session/store.ts", ok: true },
  { from: "tools/search/walk.ts", to: "tools/grep.ts", ok: false },
] as const;

for (const { from, to, ok } of FOLDER_RULES) {
  Deno.test(`upward() ${ok ? "lets" : "does not let"} ${from} import ${to} R30`, () => {
    assertEquals(upward(from, to) === undefined, ok);
  });
}

/** The violations of a product that has these files, and each folder of a part with sub-folders. */
function violationsOf(files: Readonly<Record<string, string>>): string[] {
  const root = Deno.makeTempDirSync({ prefix: "layers-" });
  try {
    const folders = Object.entries(FOLDERS).flatMap(([part, names]) =>
      names.map((name) => part === "tools" ? `${part}/${name}` : `src/${part}/${name}`)
    );
    for (const folder of folders) Deno.mkdirSync(join(root, folder), { recursive: true });
    for (const [path, text] of Object.entries({ "main.ts": "", ...files })) {
      Deno.mkdirSync(dirname(join(root, path)), { recursive: true });
      Deno.writeTextFileSync(join(root, path), text);
    }
    return violations(root);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
}

const WRONG: readonly (readonly [what: string, files: Readonly<Record<string, string>>, found: readonly string[]])[] = [
  ["nothing in a tree that holds the rule", {
    "src/sandbox/shell/a.ts": `import "../system/b.ts";`,
    "src/sandbox/system/b.ts": "",
  }, []],
  ["an import from below, of types alone too", {
    "src/sandbox/shell/a.ts": "",
    "src/sandbox/system/b.ts": `import type { A } from "../shell/a.ts";`,
  }, ["src/sandbox/system/b.ts imports src/sandbox/shell/a.ts: system is not above shell"]],
  ["a dynamic import from below", {
    "src/sandbox/shell/a.ts": "",
    "src/sandbox/system/b.ts": `const a = await import("../shell/a.ts");`,
  }, ["src/sandbox/system/b.ts imports src/sandbox/shell/a.ts: system is not above shell"]],
  ["a circle through a dynamic import, once", {
    "src/agent/a.ts": `import "./b.ts";`,
    "src/agent/b.ts": `export { c } from "./c.ts";`,
    "src/agent/c.ts": `const a = await import("./a.ts");`,
    "src/agent/d.ts": `import "./a.ts";`,
  }, ["src/agent/a.ts, src/agent/b.ts, src/agent/c.ts load each other in a circle"]],
  ["no circle of types", {
    "src/agent/a.ts": `import type { B } from "./b.ts";`,
    "src/agent/b.ts": `import type { A } from "./a.ts";`,
  }, []],
  ["a module that imports itself", {
    "src/agent/a.ts": `import "./a.ts";`,
  }, ["src/agent/a.ts loads itself"]],
  ["a file beside the folders, and a folder that has no place", {
    "src/sandbox/a.ts": "",
    "src/sandbox/attic/b.ts": "",
  }, [
    "src/sandbox/a.ts lies in none of the folders of sandbox",
    "src/sandbox/attic is no folder that scripts/check_layers.ts knows",
  ]],
  ["a part that has no place, and a sub-folder of a part without any", {
    "src/attic/a.ts": "",
    "src/agent/loop/b.ts": "",
  }, [
    "src/attic is no folder that scripts/check_layers.ts knows",
    "src/agent/loop is no folder that scripts/check_layers.ts knows",
  ]],
  ["a folder that is too full", {
    ...Object.fromEntries(Array.from({ length: 26 }, (_, i) => [`src/sandbox/git/${i}.ts`, ""])),
  }, ["src/sandbox/git has 26 files, and 25 are allowed"]],
];

for (const [what, files, found] of WRONG) {
  Deno.test(`violations() finds ${what} R30`, () => assertEquals(violationsOf(files).sort(), [...found].sort()));
}

Deno.test("ARCHITECTURE.md has a row for each sub-folder of a part, in their order", () => {
  const page = Deno.readTextFileSync(new URL("../../ARCHITECTURE.md", import.meta.url));
  const rows = [...page.matchAll(/^\| `([a-z_./]+)` +\|/gm)].map(([, name]) => name ?? "");
  for (const [part, folders] of Object.entries(FOLDERS)) {
    const named = folders.filter((folder) => folder !== ".").map((folder) =>
      part === "sandbox" ? folder : `${part}/${folder}`
    );
    assertEquals(rows.filter((name) => named.includes(name)), named, part);
  }
});

Deno.test("ARCHITECTURE.md links to what is there", () => {
  const root = new URL("../..", import.meta.url).pathname;
  const links = [...Deno.readTextFileSync(join(root, "ARCHITECTURE.md")).matchAll(/\]\(([^)#:]+)\)/g)];
  const missing = links.map(([, path = ""]) => path).filter((path) => !isThere(join(root, path)));
  assertEquals([links.length > 25, missing], [true, []]);
});

for (const [page, least] of [["ARCHITECTURE.md", 6], ["docs/sandbox-design.md", 1]] as const) {
  Deno.test(`${page} names no file of the sandbox that is not there`, () => {
    const root = new URL("../..", import.meta.url).pathname;
    const text = Deno.readTextFileSync(join(root, page));
    const pattern = new RegExp(`(?<![\\w/])(?:${FOLDERS.sandbox?.join("|")})/\\w+\\.(?:ts|c|h)`, "g");
    const named = [...text.matchAll(pattern)].map(([path]) => path);
    const missing = named.filter((path) =>
      !isThere(join(root, path.endsWith("_test.ts") ? "test" : "src", "sandbox", path))
    );
    assertEquals([named.length >= least, missing], [true, []]);
  });
}

function isThere(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

Deno.test("violations() finds none in this repository R30 R127 R303", () => {
  assertEquals(violations(new URL("../..", import.meta.url).pathname), []);
});
