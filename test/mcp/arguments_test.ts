import { assertEquals, assertLess } from "@std/assert";
import type { JsonObject } from "../../src/core/json.ts";
import { argumentIssues } from "../../src/mcp/arguments.ts";
import { cpuMs } from "../helpers/cpu.ts";

const SCHEMA: JsonObject = {
  type: "object",
  properties: {
    name: { type: "string" },
    count: { type: ["integer", "null"] },
    kind: { enum: ["a", "b"] },
    list: { type: "array", items: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } },
    odd: { type: "fraction" },
  },
  required: ["name"],
  additionalProperties: false,
};

const CASES: readonly { readonly name: string; readonly args: JsonObject; readonly issues: readonly string[] }[] = [
  { name: "what fits", args: { name: "x", count: null, kind: "a", list: [{ n: 1.5 }], odd: {} }, issues: [] },
  { name: "a missing field", args: {}, issues: ["name: is required"] },
  {
    name: "wrong types",
    args: { name: 1, count: 1.5 },
    issues: ["name: must be of type string, not number", "count: must be of type integer or null, not number"],
  },
  { name: "another value", args: { name: "x", kind: "c" }, issues: ['kind: must be one of "a", "b"'] },
  { name: "an unknown field", args: { name: "x", nome: "y" }, issues: ["nome: is not a known field"] },
  {
    name: "something inside",
    args: { name: "x", list: [{ n: 1 }, {}, { n: "2" }] },
    issues: ["list.1.n: is required", "list.2.n: must be of type number, not string"],
  },
];

for (const { name, args, issues } of CASES) {
  Deno.test(`argumentIssues() of ${name}`, () => {
    assertEquals(argumentIssues(args, SCHEMA).map(({ path, message }) => `${path.join(".")}: ${message}`), issues);
  });
}

Deno.test("argumentIssues() runs no pattern and ends soon, whatever the schema", () => {
  const began = cpuMs();
  const pattern = { type: "string", pattern: "^(a+)+$" };
  assertEquals(argumentIssues({ a: "a".repeat(50) + "!" }, { properties: { a: pattern } }), []);
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`k${n}`, n]));
  assertEquals(argumentIssues(many, { additionalProperties: { type: "string" } }).length, 8);
  assertLess(cpuMs() - began, 10_000);
});
