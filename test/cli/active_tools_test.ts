import { assertEquals, assertThrows } from "@std/assert";
import { chooseTools } from "../../src/cli/active_tools.ts";
import { UserError } from "../../src/core/error.ts";
import type { Policy } from "../../src/core/policy.ts";
import { TOOLS } from "../../tools/mod.ts";

const ALL = { all: true, list: [] };
const NONE = { all: false, list: [] };
const WANTED = ["read", "bash", "edit", "write"];

// Only scopes decide which tools are active.
const policy = (
  scopes: Partial<Policy>,
): Policy => ({ read: ALL, write: ALL, run: ALL, net: NONE, ...scopes } as Policy);

const CASES = [
  { name: "everything granted", scopes: {}, active: WANTED, notices: 0 },
  { name: "no write scope R85 R455", scopes: { write: NONE }, active: ["read", "bash"], notices: 2 },
  { name: "no read scope R85", scopes: { read: NONE }, active: ["bash", "write"], notices: 2 },
  { name: "no run scope and a real shell R456", scopes: { run: NONE }, active: ["read", "edit", "write"], notices: 1 },
];

for (const { name, scopes, active, notices } of CASES) {
  Deno.test(`chooseTools() with ${name}`, () => {
    const chosen = chooseTools(WANTED, TOOLS, policy(scopes));
    assertEquals([chosen.tools.map((tool) => tool.name), chosen.notices.length], [active, notices]);
  });
}

Deno.test("chooseTools() names the nearest tool for one that there is not", () => {
  assertEquals(assertThrows(() => chooseTools(["raed"], TOOLS, policy({})), UserError).fix, "Did you mean read?");
});
