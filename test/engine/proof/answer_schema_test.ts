// A schema may come with a project, and the answer comes from the model: neither may keep the program busy, or end it.
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { UserError } from "../../../src/core/error.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import type { AssistantMessage } from "../../../src/core/message.ts";
import { openAnswerSchema } from "../../../src/engine/proof/answer_schema.ts";

const saying = (text: string): AssistantMessage => ({
  ...{
    role: "assistant",
    content: [{ type: "text", text }],
    provider: "p",
    model: "m",
    stopReason: "stop",
    timestamp: 0,
  },
});

/** A schema in which each definition refers twice to the one before. */
function doubling(times: number): JsonObject {
  const definitions = Array.from({ length: times }, (_, at) => {
    const before = { $ref: `#/$defs/a${at}` };
    return [`a${at + 1}`, { allOf: [before, before] }];
  });
  return { $defs: { a0: {}, ...Object.fromEntries(definitions) }, $ref: `#/$defs/a${times}` };
}

for (
  const [name, schema] of [
    ["doubles what is compared forty times", doubling(40)],
    ["leads back to itself", { $ref: "#" }],
    ["refers to an address", { properties: { a: { $ref: "https://127.0.0.1:1/schema" } } }],
    ["refers to a file", { properties: { a: { $ref: "file:///etc/passwd" } } }],
  ] as const
) {
  Deno.test(`openAnswerSchema() refuses a schema that ${name}`, async () => {
    await assertRejects(() => openAnswerSchema(schema), UserError, "Cannot use answerSchema");
  });
}

Deno.test("openAnswerSchema() takes what is within the bound, and leaves the caller's schema as it is", async () => {
  const schema = doubling(6);
  const before = JSON.stringify(schema);
  const judge = (await openAnswerSchema(schema)).judge();
  assertEquals([judge(saying("1")).kind, JSON.stringify(schema), Object.getOwnPropertyNames(schema)], [
    "holds",
    before,
    [
      "$defs",
      "$ref",
    ],
  ]);
});

Deno.test("an answer that the schema cannot be compared with ends the run by name; a list that is too long goes back", async () => {
  const twice = { $ref: "#" };
  const growing = { properties: { x: { allOf: [twice, twice] } } };
  const deep = '{"x":'.repeat(30) + "1" + "}".repeat(30);
  const verdict = (await openAnswerSchema(growing)).judge()(saying(deep));
  assertStringIncludes(JSON.stringify(verdict), "cannot be compared with answerSchema");
  assertEquals(verdict.kind, "fails");
  const long = JSON.stringify(Array.from({ length: 20_000 }, (_, at) => ({ at })));
  assertEquals((await openAnswerSchema({ uniqueItems: true })).judge()(saying(long)).kind, "again");
});
