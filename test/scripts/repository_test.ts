import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { COMMANDS } from "../../src/config/options/commands.ts";
import { NPM_PACKAGE } from "../../src/core/version.ts";
import { REACHED } from "../../scripts/tests/changed.ts";
import { ALONE, LONGEST, MEMORY_MB, PERMISSIONS, testGroups } from "../../scripts/tests/groups.ts";

const root = new URL("../../", import.meta.url);
const config = JSON.parse(Deno.readTextFileSync(new URL("deno.json", root)));
const command = (name: string): string => config.tasks[name].command;

Deno.test("the top level has what a newcomer looks for R495", () => {
  for (const name of ["deno.json", "main.ts"]) assert(Deno.statSync(new URL(name, root)).isFile, name);
  for (const name of ["src", "tools", "skills", "test", "scripts"]) {
    assert(Deno.statSync(new URL(name, root)).isDirectory, name);
  }
});

/** Each is an error of one of the checks that strictness consists of, by its code. */
const LOOSE: Readonly<Record<string, string>> = {
  TS7006: "export const untyped = (value) => value;",
  TS2322: "export const missing: string = [1].find(() => false)?.toString();",
  TS2564: "export class Unset { field: string; }",
  TS2684: "export const bound = (function (this: Date) {}).call('x');",
  TS18046: "export function caught(): string { try { return ''; } catch (error) { return error.message; } }",
  TS2375: "export const exact: { readonly a?: string } = { a: undefined };",
  TS18048: "export const unchecked = [1].map((_, at, all) => { const one = all[at]; return one.toFixed(); });",
  TS4114: "export class Base { run(): void {} } export class Own extends Base { run(): void {} }",
  TS7029: "export function fall(n: number): number { switch (n) { case 1: n++; default: return n; } }",
  TS7017: "export const implicit = (globalThis as object)['x'];",
};

Deno.test("types are checked strictly, and CI checks them R497", () => {
  // With the settings of this repository and nothing else of it.
  const folder = Deno.makeTempDirSync({ prefix: "sp-strict-" });
  try {
    const { types: _, ...compilerOptions } = config.compilerOptions;
    Deno.writeTextFileSync(`${folder}/deno.json`, JSON.stringify({ compilerOptions }));
    for (const [code, text] of Object.entries(LOOSE)) Deno.writeTextFileSync(`${folder}/${code}.ts`, text + "\n");
    const { code, stderr } = new Deno.Command(Deno.execPath(), {
      args: ["check", "--config", `${folder}/deno.json`, folder],
      env: { NO_COLOR: "1" },
    }).outputSync();
    const said = new TextDecoder().decode(stderr);
    assertEquals(code, 1, said);
    for (const name of Object.keys(LOOSE)) assertStringIncludes(said, `/${name}.ts:`);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
  const check = command("check").split(" ");
  assertEquals(check.slice(0, 2), ["deno", "check"]);
  for (const part of ["main.ts", "src", "tools", "test", "scripts"]) assert(check.includes(part), part);
  assertStringIncludes(command("ok"), "deno task check");
});

Deno.test("no file of the program is left out of the type check R497", () => {
  const opened = /^\s*(?:\/\/|\/\*+)\s*@ts-(?:nocheck|ignore|expect-error)/m;
  const loose: string[] = [];
  const look = (folder: URL): void => {
    for (const { name, isDirectory } of Deno.readDirSync(folder)) {
      const at = new URL(isDirectory ? `${name}/` : name, folder);
      if (isDirectory) look(at);
      else if (name.endsWith(".ts") && opened.test(Deno.readTextFileSync(at))) loose.push(at.pathname);
    }
  };
  for (const folder of ["src/", "tools/", "scripts/"]) look(new URL(folder, root));
  assertEquals(loose, []);
});

Deno.test("tests run with permissions that are written down, and reach this machine alone R498", () => {
  for (const run of [`deno test ${PERMISSIONS.join(" ")} `, command("faults")]) {
    assertStringIncludes(run, "deno test --no-prompt ");
    assertStringIncludes(run, "--allow-net=127.0.0.1,localhost ");
    assertEquals(/ -A | --allow-all | --allow-net /.test(run), false, run);
  }
  // These go through the script that adds the permissions above.
  for (const task of ["test", "test-binary"]) assertStringIncludes(command(task), "scripts/tests.ts");
});

Deno.test("testGroups() has each file in one group, of a new folder too, the longest first, and nothing beside what floods the machine", () => {
  const flood = "test/sandbox/process/flood_test.ts";
  const [long = "", longer = ""] = LONGEST.slice(0, 2).reverse();
  const few = [flood, "test/tui/a_test.ts", long, longer];
  const files = [...few, ...Array.from({ length: 14 }, (_, i) => `test/new/${i}_test.ts`)];
  const { sideBySide, alone } = testGroups(files);
  assertEquals([...sideBySide, ...alone].flat().sort(), [...files].sort());
  assertEquals(alone, [[flood]]);
  assertEquals(sideBySide.slice(0, 2), [[longer], [long]]);
  assertEquals(sideBySide.slice(2).map((group) => group.length), [7, 7, 1]);
});

Deno.test("every file that the runner of the tests names is there", () => {
  const own = [...ALONE, ...LONGEST, ...Object.keys(MEMORY_MB)];
  for (const path of [...own, ...Object.entries(REACHED).flatMap(([from, reached]) => [from, ...reached])]) {
    assert(Deno.statSync(new URL(path, root)), path);
  }
});

Deno.test("pages name the versions of Deno that are used", () => {
  const text = (path: string): string => Deno.readTextFileSync(new URL(path, root));
  const named = (
    path: string,
    pattern: RegExp,
  ): string[] => [...new Set([...text(path).matchAll(pattern)].map(([, version = ""]) => version))];
  const tests = named(".ci/run", /deno@([\d.]+\d)/g);
  assertEquals(tests.length, 1);
  for (
    const page of [
      "README.md",
      "docs/install.md",
      "AGENTS.md",
      "action.yml",
      "docs/ci/gitlab.yml",
      ".github/workflows/release.yml",
    ]
  ) {
    assertEquals(named(page, /deno@([\d.]+\d)/g), tests, page);
  }
  const binary = named("scripts/build/base_runtime.ts", /VERSION = "([\d.]+)"/g);
  assertEquals(named("AGENTS.md", /base_runtime\.ts` \(([\d.]+)\)/g), binary);
  assertEquals(named("docs/install.md", /Deno \(([\d.]+) or later\)/g), binary);
});

Deno.test("nothing names the npm registry's package `sandpiper`, which is another project, as something to install", () => {
  assertEquals(config.name, NPM_PACKAGE);
  const pages = ["README.md", ...pagesIn("docs"), ...pagesIn("npm"), ...pagesIn("src"), ...pagesIn("skills")];
  const installs =
    /\b(?:npm (?:i|install|add)|npx|pnpm (?:add|dlx)|yarn add|bunx?(?: add)?|deno (?:run|install))\b[^\n`]*\s(?:npm:)?sandpiper(?:-sdk)?(?:@|[\s`]|$)/m;
  const wrong = pages.filter((path) => installs.test(Deno.readTextFileSync(new URL(path, root))));
  assertEquals(wrong, []);
  assert(
    installs.test("npm install -g sandpiper") && installs.test("npx sandpiper demo") &&
      installs.test("deno run -A npm:sandpiper"),
  );
});

Deno.test("docs/cli.md names every command, in the order of the table", () => {
  const page = Deno.readTextFileSync(new URL("docs/cli.md", root));
  const [, list = ""] = /The first word is a command if it is one of ([^.]+)\./.exec(page) ?? [];
  assertEquals([...list.matchAll(/`([^`]+)`/g)].map(([, name]) => name), COMMANDS.map(({ name }) => name));
});

Deno.test("no cell of a table in the docs is cut by a bar that is not escaped", () => {
  const cut = ["README.md", ...pagesIn("docs")].filter((path) => path.endsWith(".md")).flatMap((path) =>
    Deno.readTextFileSync(new URL(path, root)).split("\n").filter((line) =>
      line.startsWith("|") &&
      line.split("|").some((cell) =>
        (cell.split("`").length - 1) % 2 === 1 &&
        !cell.endsWith("\\")
      )
    ).filter((line) => !line.includes("\\|")).map((line) => `${path}: ${line}`)
  );
  assertEquals(cut, []);
});

/** Texts below a directory. */
function pagesIn(folder: string): readonly string[] {
  return [...Deno.readDirSync(new URL(folder, root))].flatMap(({ name, isDirectory }) => {
    const path = `${folder}/${name}`;
    if (isDirectory) return pagesIn(path);
    return /\.(?:md|ts|cjs|html)$/.test(name) ? [path] : [];
  });
}
