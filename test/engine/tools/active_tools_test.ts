import { assertEquals, assertThrows } from "@std/assert";
import { chooseTools, refuseUnknown } from "../../../src/engine/tools/active_tools.ts";
import { UserError } from "../../../src/core/error.ts";
import type { Policy } from "../../../src/core/policy.ts";
import { TOOLS } from "../../../tools/mod.ts";

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

Deno.test("refuseUnknown() names the nearest tool for one that nobody has, and takes those of extensions and servers", () => {
  const { foreign } = chooseTools(["raed", "read"], TOOLS, policy({}));
  const names = [...TOOLS.map(({ name }) => name), "count_words"];
  assertEquals(assertThrows(() => refuseUnknown(foreign, names, true), UserError).fix, "Did you mean read?");
  refuseUnknown(chooseTools(["count_words", "bash"], TOOLS, policy({})).foreign, names, false);
  refuseUnknown(["mcp__a__b"], names, true);
  assertThrows(() => refuseUnknown(["mcp__a__b"], names, false), UserError);
});
