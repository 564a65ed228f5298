import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../src/core/json.ts";
import { flatFields } from "../../src/mcp/tool_schema.ts";

const TEXT = { type: "string" };
const NUMBER = { type: "number" };

interface Case {
  readonly name: string;
  readonly schema: JsonObject;
  readonly properties: JsonObject;
  readonly required: readonly string[];
}

const CASES: readonly Case[] = [
  { name: "no choice", schema: { properties: { a: TEXT }, required: ["a"] }, properties: { a: TEXT }, required: ["a"] },
  {
    name: "a choice: fields of all, required what every one requires",
    schema: {
      anyOf: [{ properties: { a: TEXT, b: TEXT }, required: ["a", "b"] }, { properties: { a: TEXT }, required: ["a"] }],
    },
    properties: { a: TEXT, b: TEXT },
    required: ["a"],
  },
  {
    name: "a field that the choices describe differently: any of these",
    schema: { oneOf: [{ properties: { a: TEXT } }, { properties: { a: NUMBER } }, { properties: { a: TEXT } }] },
    properties: { a: { anyOf: [TEXT, NUMBER] } },
    required: [],
  },
  {
    name: "several schemas at once: required what any of them requires",
    schema: { allOf: [{ properties: { a: TEXT }, required: ["a"] }, { properties: { b: TEXT }, required: ["b"] }] },
    properties: { a: TEXT, b: TEXT },
    required: ["a", "b"],
  },
  {
    name: "its own description before that of a choice, and each name required once",
    schema: {
      properties: { a: NUMBER },
      required: ["a"],
      anyOf: [{ properties: { a: TEXT, b: TEXT }, required: ["a"] }],
    },
    properties: { a: NUMBER, b: TEXT },
    required: ["a"],
  },
  {
    name: "references to definitions of its own, under both names",
    schema: {
      $defs: { one: { properties: { a: TEXT }, required: ["a"] } },
      definitions: { two: { properties: { b: NUMBER } } },
      allOf: [{ $ref: "#/$defs/one" }, { $ref: "#/definitions/two" }],
    },
    properties: { a: TEXT, b: NUMBER },
    required: ["a"],
  },
  {
    name: "references that lead nowhere",
    schema: {
      $defs: { text: "x" },
      anyOf: ["#/$defs/none", "#/$defs/text", "#/$defs/__proto__", "https://x.test/s", "#/properties/a"].map((
        $ref,
      ) => ({
        $ref,
      })),
    },
    properties: {},
    required: [],
  },
  {
    name: "what is no schema",
    schema: { properties: ["a"], required: "a", anyOf: "b", oneOf: [1, null, [], { required: [1, "c"] }], allOf: {} },
    properties: {},
    required: ["c"],
  },
];

for (const { name, schema, properties, required } of CASES) {
  Deno.test(`flatFields() of ${name}`, () => assertEquals(flatFields(schema), { properties, required }));
}
