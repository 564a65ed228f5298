import { assert, assertEquals, assertStringIncludes } from "@std/assert";

const root = new URL("../../", import.meta.url);
const config = JSON.parse(Deno.readTextFileSync(new URL("deno.json", root)));
const command = (name: string): string => config.tasks[name].command;

Deno.test("the top level has what a newcomer looks for R495", () => {
  for (const name of ["deno.json", "main.ts"]) assert(Deno.statSync(new URL(name, root)).isFile, name);
  for (const name of ["src", "tools", "skills", "test", "scripts"]) {
    assert(Deno.statSync(new URL(name, root)).isDirectory, name);
  }
});

Deno.test("types are checked strictly, and CI checks them R497", () => {
  const { strict, ...others } = config.compilerOptions;
  assertEquals(strict ?? true, true); // Deno's default
  for (const [name, value] of Object.entries(others)) assert(!(name.startsWith("no") && value === false), name);
  assertStringIncludes(command("check"), "deno check main.ts src tools test");
  assertStringIncludes(command("ok"), "deno task check");
});

Deno.test("tests run with permissions that are written down, and reach this machine alone R498", () => {
  const runs = command("test").split(" && ");
  for (const run of [...runs, command("test-binary")]) {
    assertStringIncludes(run, "deno test --no-prompt ");
    assertStringIncludes(run, "--allow-net=127.0.0.1,localhost ");
    assertEquals(/ -A | --allow-all | --allow-net /.test(run), false, run);
  }
});
