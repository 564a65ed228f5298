import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { PERMISSIONS, testGroups } from "../../scripts/tests/groups.ts";

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
  for (const run of [`deno test ${PERMISSIONS.join(" ")} `, command("test-binary"), command("faults")]) {
    assertStringIncludes(run, "deno test --no-prompt ");
    assertStringIncludes(run, "--allow-net=127.0.0.1,localhost ");
    assertEquals(/ -A | --allow-all | --allow-net /.test(run), false, run);
  }
});

Deno.test("a folder of tests that nobody put into a group runs in the first; those of the binary need it built", () => {
  const groups = testGroups(["test/agent/", "test/binary/", "test/new/", "test/tui/"]);
  assertEquals(groups[0], ["test/agent/", "test/new/"]);
  assert(groups.some((group) => group.includes("test/tui/")));
  assertEquals(groups.flat().includes("test/binary/"), false);
});
