import { assert, assertEquals, assertNotEquals } from "@std/assert";
import fc from "fast-check";
import { toolNames } from "../../src/mcp/tool_names.ts";

Deno.test("toolNames() puts the server before the tool and keeps the order X16", () => {
  assertEquals(
    toolNames([{ server: "a", tool: "say" }, { server: "b", tool: "say" }, { server: "b", tool: "do.it" }]),
    [
      "mcp__a__say",
      "mcp__b__say",
      "mcp__b__do_it",
    ],
  );
});

Deno.test("toolNames() tells apart what would be called the same, by a digest of both names X16", () => {
  const [one = "", other = "", third] = toolNames([
    { server: "a", tool: "x.y" },
    { server: "a", tool: "x y" },
    { server: "a", tool: "z" },
  ]);
  assert(/^mcp__a__x_y_[0-9a-f]{8}$/.test(one) && /^mcp__a__x_y_[0-9a-f]{8}$/.test(other));
  assertNotEquals(one, other);
  assertEquals(third, "mcp__a__z");
  // Whoever comes first changes nothing.
  assertEquals(toolNames([{ server: "a", tool: "x y" }, { server: "a", tool: "x.y" }]), [other, one]);
  // The boundary between the two names is not to be shifted.
  const [left, right] = toolNames([{ server: "a__b", tool: "c" }, { server: "a", tool: "b__c" }]);
  assertNotEquals(left, right);
});

Deno.test("toolNames() gives names that every provider takes, no two alike", () => {
  const name = fc.oneof(fc.string({ unit: "binary", maxLength: 120 }), fc.constantFrom("a", "a_", "a.", "__", "ä"));
  fc.assert(fc.property(fc.uniqueArray(fc.tuple(name, name), { selector: JSON.stringify, maxLength: 20 }), (pairs) => {
    const names = toolNames(pairs.map(([server, tool]) => ({ server, tool })));
    return new Set(names).size === pairs.length && names.every((one) => /^mcp__[A-Za-z0-9_-]{1,59}$/.test(one));
  }));
});
