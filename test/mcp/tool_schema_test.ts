import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { cleanSchema } from "../../src/mcp/tool_schema.ts";

const CASES: readonly { readonly name: string; readonly from: unknown; readonly to: unknown }[] = [
  { name: "no schema", from: "x", to: undefined },
  { name: "an empty one", from: {}, to: { type: "object", properties: {} } },
  {
    name: "an ordinary one",
    from: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { a: { type: "string", description: "an a" }, b: { $ref: "#/$defs/b" } },
      required: ["a"],
      additionalProperties: false,
      $defs: { b: { type: "integer" } },
    },
    to: {
      type: "object",
      properties: { a: { type: "string", description: "an a" }, b: { $ref: "#/$defs/b" } },
      required: ["a"],
      additionalProperties: false,
      $defs: { b: { type: "integer" } },
    },
  },
  {
    name: "a choice on top, and references that lead away",
    from: { anyOf: [{ required: ["a"] }], properties: { a: { $ref: "https://evil.example/x", title: "A" } } },
    to: { type: "object", properties: { a: { title: "A" } }, required: ["a"] },
  },
  {
    name: "a choice of objects on top, one of them by reference",
    from: {
      type: "object",
      oneOf: [
        { properties: { kind: { const: "a" }, path: { type: "string" } }, required: ["kind", "path"] },
        { $ref: "#/$defs/b" },
      ],
      $defs: { b: { properties: { kind: { const: "b" }, path: { type: "string" } }, required: ["kind"] } },
    },
    to: {
      type: "object",
      properties: { kind: { anyOf: [{ const: "a" }, { const: "b" }] }, path: { type: "string" } },
      required: ["kind"],
      $defs: { b: { properties: { kind: { const: "b" }, path: { type: "string" } }, required: ["kind"] } },
    },
  },
  {
    name: "several schemas at once, whose fields stand behind its own",
    from: {
      properties: { a: { type: "string" } },
      allOf: [{ properties: { a: {}, b: { type: "number" } }, required: ["b"] }, { $ref: "#/$defs/none" }, true],
    },
    to: { type: "object", properties: { a: { type: "string" }, b: { type: "number" } }, required: ["b"] },
  },
  {
    name: "arguments that are called as words of JSON Schema are",
    from: {
      properties: { $id: { type: "string" }, enum: { type: "string" }, properties: { properties: { $schema: {} } } },
    },
    to: {
      type: "object",
      properties: { $id: { type: "string" }, enum: { type: "string" }, properties: { properties: { $schema: {} } } },
    },
  },
  {
    name: "what nobody sees",
    from: { properties: { a: { description: "sum\u200b\u{e0041}\x1b[31m\u202ename" }, "b\u200b": {} } },
    to: { type: "object", properties: { a: { description: "sumname" } } },
  },
  {
    name: "keys that reach a prototype",
    from: JSON.parse('{"__proto__": {"x": 1}, "properties": {"__proto__": {"type": "string"}, "constructor": {}}}'),
    to: { type: "object", properties: { constructor: {} } },
  },
  { name: "too many values", from: { properties: { a: { enum: new Array(3000).fill(1) } } }, to: undefined },
  {
    name: "too much nesting",
    from: JSON.parse('{"properties":{"a":'.repeat(15) + "{}" + "}}".repeat(15)),
    to: undefined,
  },
  {
    name: "too much text",
    from: {
      properties: Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`k${n}`, { title: "x".repeat(900) }])),
    },
    to: undefined,
  },
];

for (const { name, from, to } of CASES) {
  Deno.test(`cleanSchema() of ${name}`, () => assertEquals<unknown>(cleanSchema(from), to));
}

Deno.test("cleanSchema() of anything is that of an object of bounded size, or nothing", () => {
  fc.assert(fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
    const clean = cleanSchema(value);
    return clean === undefined || (clean["type"] === "object" && JSON.stringify(clean).length <= 32_768);
  }));
});
