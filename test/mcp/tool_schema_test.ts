import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { isObject, type JsonObject, type JsonValue } from "../../src/core/json.ts";
import { cleanSchema } from "../../src/mcp/tool_schema.ts";

const TEXT = { type: "string" };
const NUMBER = { type: "number" };
const NONE = { type: "object", properties: {} };

interface Case {
  readonly name: string;
  readonly from: unknown;
  readonly to: JsonObject | RegExp;
}

/** What becomes of one argument's schema. */
const property = (name: string, from: unknown, to: JsonObject): Case => ({
  name,
  from: { type: "object", properties: { a: from } },
  to: { type: "object", properties: { a: to } },
});

const CASES: readonly Case[] = [
  { name: "no schema", from: undefined, to: NONE },
  { name: "null", from: null, to: NONE },
  { name: "true", from: true, to: NONE },
  { name: "false", from: false, to: /false/ },
  { name: "a text", from: "x", to: /not an object but text/ },
  { name: "a list", from: [], to: /not an object but a list/ },
  { name: "an empty one", from: {}, to: NONE },
  { name: "one of another type", from: { type: "string" }, to: NONE },
  { name: "no properties", from: { type: "object", properties: null, required: null }, to: NONE },
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
      properties: { a: { type: "string", description: "an a" }, b: { type: "integer" } },
      required: ["a"],
      additionalProperties: false,
    },
  },
  {
    name: "required without properties: the model is told the name",
    from: { type: "object", required: ["port", "port", 1] },
    to: { type: "object", properties: { port: {} }, required: ["port"] },
  },
  {
    name: "required: true",
    from: { properties: { a: { ...TEXT, required: true } }, required: true },
    to: { type: "object", properties: { a: TEXT } },
  },
  {
    name: "a reference as the whole",
    from: { $ref: "#/definitions/A", definitions: { A: { properties: { a: TEXT }, required: ["a"] } } },
    to: { type: "object", properties: { a: TEXT }, required: ["a"] },
  },
  {
    name: "references that lead nowhere or away",
    from: {
      properties: {
        ...Object.fromEntries(
          ["#/$defs/none", "#/$defs/text", "#/$defs/__proto__", "https://x.test/s", "#name", "#/%"].map((
            $ref,
            at,
          ) => [`p${at}`, { $ref }]),
        ),
        titled: { $ref: "https://evil.example/x", title: "A" },
      },
      $defs: { text: "x" },
    },
    to: {
      type: "object",
      properties: { p0: {}, p1: {}, p2: {}, p3: {}, p4: {}, p5: {}, titled: { title: "A" } },
    },
  },
  {
    name: "a reference to itself: the second level says its type",
    from: {
      properties: { n: { $ref: "#/$defs/N" } },
      $defs: {
        N: { type: "object", description: "a node", properties: { next: { $ref: "#/$defs/N" }, value: NUMBER } },
      },
    },
    to: {
      type: "object",
      properties: {
        n: {
          type: "object",
          description: "a node",
          properties: { next: { type: "object", description: "a node" }, value: NUMBER },
        },
      },
    },
  },
  {
    name: "a reference to the whole, and one in a circle",
    from: { properties: { a: { $ref: "#" }, b: { $ref: "#/$defs/b" } }, $defs: { b: { $ref: "#/$defs/b" } } },
    to: { type: "object", properties: { a: {}, b: {} } },
  },
  {
    name: "a choice on top: fields of all, required what every one requires",
    from: {
      anyOf: [{ properties: { a: TEXT, b: TEXT }, required: ["a", "b"] }, { properties: { a: TEXT }, required: ["a"] }],
    },
    to: { type: "object", properties: { a: TEXT, b: TEXT }, required: ["a"] },
  },
  {
    name: "a field that the choices describe differently: any of these",
    from: { oneOf: [{ properties: { a: TEXT } }, { properties: { a: NUMBER } }, { properties: { a: TEXT } }] },
    to: { type: "object", properties: { a: { anyOf: [TEXT, NUMBER] } } },
  },
  {
    name: "a choice of objects on top, one of them by reference",
    from: {
      type: "object",
      oneOf: [
        { properties: { kind: { const: "a" }, path: TEXT }, required: ["kind", "path"] },
        { $ref: "#/$defs/b" },
      ],
      $defs: { b: { properties: { kind: { const: "b" }, path: TEXT }, required: ["kind"] } },
    },
    to: { type: "object", properties: { kind: { ...TEXT, enum: ["a", "b"] }, path: TEXT }, required: ["kind"] },
  },
  {
    name: "its own description before that of a choice",
    from: {
      properties: { a: NUMBER },
      required: ["a"],
      anyOf: [{ properties: { a: TEXT, b: TEXT }, required: ["a"] }],
    },
    to: { type: "object", properties: { a: NUMBER, b: TEXT }, required: ["a"] },
  },
  {
    name: "several schemas at once",
    from: {
      properties: { a: TEXT },
      allOf: [{ properties: { a: {}, b: NUMBER }, required: ["b"] }, { $ref: "#/$defs/none" }, true, {
        if: { properties: { a: { const: "x" } } },
        then: { properties: { c: TEXT }, required: ["c"] },
      }],
    },
    to: { type: "object", properties: { a: TEXT, b: NUMBER, c: TEXT }, required: ["b"] },
  },
  {
    name: "what is no schema",
    from: { properties: ["a"], required: "a", anyOf: "b", oneOf: [1, null, [], { required: [1, "c"] }], allOf: {} },
    to: NONE,
  },
  {
    name: "arguments that are called as words of JSON Schema are",
    from: {
      properties: { $id: TEXT, enum: TEXT, $ref: TEXT, properties: { properties: { $schema: TEXT } } },
    },
    to: {
      type: "object",
      properties: { $id: TEXT, enum: TEXT, $ref: TEXT, properties: { type: "object", properties: { $schema: TEXT } } },
    },
  },
  {
    name: "a property that no value fits",
    from: { properties: { a: false, b: true }, required: ["a", "b"] },
    to: { type: "object", properties: { b: {} }, required: ["b"] },
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
  property("a list without items", { type: "array" }, { type: "array", items: {} }),
  property("a list of anything", { type: "array", items: true }, { type: "array", items: {} }),
  property("a tuple of the older draft", { items: [TEXT, NUMBER, TEXT] }, {
    type: "array",
    items: { anyOf: [TEXT, NUMBER] },
  }),
  property("a tuple", { type: "array", prefixItems: [TEXT], items: false, uniqueItems: true, minItems: 1 }, {
    type: "array",
    items: TEXT,
    minItems: 1,
    description: "(without duplicates)",
  }),
  property("a list of types", { type: ["string", "null"], maxLength: 5, title: "A" }, {
    anyOf: [{ ...TEXT, maxLength: 5 }, { type: "null" }],
    title: "A",
  }),
  property("a list of one type", { type: ["string"] }, TEXT),
  property("nullable", { type: "string", nullable: true }, { anyOf: [TEXT, { type: "null" }] }),
  property("types of other languages", { type: ["STRING", "int"] }, { anyOf: [TEXT, { type: "integer" }] }),
  property("a type that nobody knows", { type: "file", description: "a file" }, { description: "a file" }),
  property("a constant", { const: 5 }, { type: "integer", enum: [5] }),
  property("values of several types", { enum: [1, "a", null, 1] }, {
    anyOf: [{ ...TEXT, enum: ["a"] }, { type: "integer", enum: [1] }, { type: "null" }],
  }),
  property("values that have not the type", { type: "string", enum: ["a", 1] }, { ...TEXT, enum: ["a"] }),
  property("values none of which has the type", { type: "string", enum: [1] }, TEXT),
  property("no values", { type: "string", enum: [] }, TEXT),
  property("values that are objects", { enum: [{ a: 1 }] }, {}),
  property("a choice of one", { oneOf: [TEXT], description: "a" }, { ...TEXT, description: "a" }),
  property("a choice of anything", { anyOf: [TEXT, {}], type: "string", minLength: 1 }, { ...TEXT, minLength: 1 }),
  property("an optional value as libraries write it", { anyOf: [TEXT, { type: "null" }], default: null }, {
    anyOf: [TEXT, { type: "null" }],
    default: null,
  }),
  property("a choice of objects", {
    type: "object",
    oneOf: [{ properties: { x: TEXT }, required: ["x"] }, { properties: { y: TEXT } }],
  }, {
    anyOf: [{ type: "object", properties: { x: TEXT }, required: ["x"] }, { type: "object", properties: { y: TEXT } }],
  }),
  property("an object one of whose fields is required", {
    type: ["object", "null"],
    properties: { x: TEXT, y: TEXT },
    anyOf: [{ required: ["x"] }, { required: ["y"] }],
  }, { anyOf: [{ type: "object", properties: { x: TEXT, y: TEXT } }, { type: "null" }] }),
  property("a map", { type: "object", patternProperties: { "^x": NUMBER }, additionalProperties: false }, {
    type: "object",
    additionalProperties: NUMBER,
  }),
  property("bounds of older drafts", { type: "integer", exclusiveMinimum: 0, exclusiveMaximum: true, maximum: "9" }, {
    type: "integer",
    minimum: 1,
  }),
  property(
    "keywords that not all providers know",
    { type: "string", format: "uri", pattern: "^h", not: { const: "x" }, contentEncoding: "base64", examples: ["h:"] },
    { ...TEXT, description: "(format: uri; pattern: ^h; for example: h:)" },
  ),
  property("a format of numbers", { type: "integer", format: "uint32", minLength: -1 }, { type: "integer" }),
  property("too many values", { type: "integer", enum: Array.from({ length: 3000 }, (_, at) => at) }, {
    type: "integer",
  }),
];

Deno.test("cleanSchema() describes a required field with a name that every object has", () => {
  assertEquals<unknown>(cleanSchema({ required: ["toString"] }), {
    parameters: { type: "object", properties: { toString: {} }, required: ["toString"] },
  });
});

for (const { name, from, to } of CASES) {
  Deno.test(`cleanSchema() of ${name}`, () => {
    const clean = cleanSchema(from);
    if (!(to instanceof RegExp)) return assertEquals<unknown>(clean, { parameters: to });
    assert("why" in clean && to.test(clean.why), JSON.stringify(clean));
  });
}

Deno.test("cleanSchema() sends fewer levels of a schema that is nested deeply", () => {
  const clean = cleanSchema(JSON.parse('{"properties":{"a":'.repeat(60) + "{}" + "}}".repeat(60)));
  assert("parameters" in clean);
  assert(JSON.stringify(clean).includes('{"a":{"type":"object","properties":{"a":'));
});

Deno.test("cleanSchema() sends fewer levels of a schema that is too large, and none of one that stays so", () => {
  const wide = (title: string): JsonObject => ({
    properties: Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`k${at}`, { type: "object", title }])),
  });
  const deep = {
    properties: { a: { type: "object", properties: { b: { ...wide("x".repeat(900)), type: "object" } } } },
  };
  const clean = cleanSchema({
    properties: { a: { properties: { a: { properties: { a: { properties: { a: deep } } } } } } },
  });
  assert("parameters" in clean && JSON.stringify(clean).length < 1_000, JSON.stringify(clean).slice(0, 200));
  assert("why" in cleanSchema(wide("x".repeat(900))));
});

Deno.test("cleanSchema() stops at definitions that multiply", () => {
  const names = Array.from({ length: 30 }, (_, at) => `d${at}`);
  const $defs = Object.fromEntries(names.map((name, at) => {
    const $ref = `#/$defs/${names[at + 1] ?? "none"}`;
    return [name, {
      type: "object",
      properties: Object.fromEntries("abcdefgh".split("").map((key) => [key, { $ref }])),
    }];
  }));
  const clean = cleanSchema({ properties: { a: { $ref: "#/$defs/d0" } }, $defs });
  assert("parameters" in clean, JSON.stringify(clean));
});

/** Whatever a server sends, and as many words of JSON Schema in it as chance gives. */
const anything = fc.letrec<{ readonly schema: unknown }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthIdentifier: "schema" },
    fc.jsonValue({ maxDepth: 1 }),
    fc.record({
      type: fc.oneof(
        fc.constantFrom("object", "array", "string", "integer", "null", "X"),
        fc.constant(["string", "null"]),
      ),
      properties: fc.dictionary(fc.constantFrom("a", "b", "c"), tie("schema")),
      required: fc.oneof(fc.array(fc.constantFrom("a", "b", "d")), fc.constant(null)),
      items: fc.oneof(tie("schema"), fc.array(tie("schema"), { maxLength: 2 })),
      anyOf: fc.array(tie("schema"), { maxLength: 3 }),
      allOf: fc.array(tie("schema"), { maxLength: 2 }),
      enum: fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 3 }),
      $ref: fc.constantFrom("#", "#/properties/a", "#/$defs/x", "#/nowhere"),
      $defs: fc.record({ x: tie("schema") }),
      additionalProperties: tie("schema"),
    }, { requiredKeys: [] }),
  ),
})).schema;

/** Everything that providers are known to reject in a schema, as a path. */
function faults(schema: JsonValue, path: string): readonly string[] {
  if (!isObject(schema)) return [`${path}: no object`];
  const known = "type title description default properties required additionalProperties items enum anyOf format " +
    "minimum maximum minLength maxLength minItems maxItems";
  const { type, properties, required, items, anyOf, enum: values, additionalProperties: others } = schema;
  const names = isObject(properties) ? Object.keys(properties) : [];
  return [
    ...Object.keys(schema).filter((word) => !known.split(" ").includes(word)).map((word) => `${path}: ${word}`),
    ...(type === undefined || typeof type === "string" ? [] : [`${path}: type`]),
    ...(type === "array" && !isObject(items) ? [`${path}: no items`] : []),
    ...(required === undefined || (Array.isArray(required) && required.every((name) => names.includes(`${name}`)))
      ? []
      : [`${path}: required`]),
    ...(values === undefined || (Array.isArray(values) && values.length > 0 && type !== undefined)
      ? []
      : [`${path}: enum`]),
    ...Object.entries(isObject(properties) ? properties : {}).flatMap(([name, one]) => faults(one, `${path}.${name}`)),
    ...(Array.isArray(anyOf) ? anyOf.flatMap((one) => faults(one, `${path}|`)) : []),
    ...(Array.isArray(anyOf) && anyOf.length < 2 ? [`${path}: anyOf`] : []),
    ...(items === undefined ? [] : faults(items, `${path}[]`)),
    ...(isObject(others) ? faults(others, `${path}.*`) : []),
  ];
}

Deno.test("cleanSchema() of anything holds nothing that providers are known to reject, or tells why it is not sent", () => {
  fc.assert(
    fc.property(anything, (value) => {
      const clean = cleanSchema(value);
      if ("why" in clean) return;
      assertEquals(clean.parameters["type"], "object");
      assert(isObject(clean.parameters["properties"]));
      assertEquals(faults(clean.parameters, "$"), []);
      assert(JSON.stringify(clean.parameters).length <= 32_768);
    }),
    { numRuns: 200 },
  );
});
