// A round that is bound to a schema, as servers see it: the field of the API, a forced call where there is none, nothing else.
import { assert, assertEquals } from "@std/assert";
import type { JsonObject } from "../../src/core/json.ts";
import { textOf } from "../../src/core/message.ts";
import type { SomeCapabilities } from "../../src/provider/capabilities/capabilities.ts";
import { openAnthropic } from "../../src/provider/anthropic/anthropic.ts";
import { openChat } from "../../src/provider/openai/chat.ts";
import { openResponses } from "../../src/provider/openai/responses.ts";
import { answerIn, answerTool, fitsStrict } from "../../src/provider/reply/answer_shape.ts";
import { TOOLS } from "./fixture_files.ts";
import { type Answer, chunk, collect, leaklessTest, requestOf, saying, serve, sse } from "./wire_server.ts";

// deno-lint-ignore no-explicit-any -- tests look at fields of the wire format
type Body = any;

const CLOSED: JsonObject = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $defs: {
    level: { enum: ["low", "high"] },
    node: {
      type: "object",
      properties: { level: { $ref: "#/$defs/level" }, next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] } },
      required: ["level", "next"],
      additionalProperties: false,
    },
  },
  type: "object",
  properties: { first: { $ref: "#/$defs/node" } },
  required: ["first"],
  additionalProperties: false,
};
const { $schema: _, ...CLOSED_SENT } = CLOSED;
const ANSWER = '{"first": {"level": "low", "next": null}}';
const LEVELS: JsonObject = {
  $defs: { level: { enum: ["low", "high"] } },
  type: "array",
  items: { $ref: "#/$defs/level" },
};
const LARGE: JsonObject = {
  type: "object",
  properties: Object.fromEntries(
    Array.from({ length: 1500 }, (_, at) => [`field${at}`, { type: "string", description: "d".repeat(50) }]),
  ),
};

const calling = (name: string, args: string, ...others: readonly string[]): Answer => {
  const tool_calls = [{ name, args }, ...others.map((other) => ({ name: other, args: "{}" }))].map((one, index) => ({
    index,
    id: `c${index}`,
    type: "function",
    function: { name: one.name, arguments: one.args },
  }));
  return sse(`${chunk({ role: "assistant", tool_calls })}${chunk({}, "tool_calls")}data: [DONE]\n\n`);
};
const refusing = (message: string): Answer => () =>
  Response.json({ error: { message, type: "invalid_request_error" } }, { status: 400 });
const chatAt = (url: string, memory?: SomeCapabilities) => {
  const kept: SomeCapabilities[] = [];
  const provider = openChat({
    baseUrl: url,
    apiKey: "k",
    model: "m",
    memory: {
      recall: () => memory ?? {},
      remember: (change) => void kept.push(change),
      warnings: () => [],
    },
  });
  return { provider, kept };
};

leaklessTest(
  "openChat() binds by response_format, strict where the schema keeps its rules, and forbids calls",
  async () => {
    await using server = serve(saying(ANSWER));
    const { provider } = chatAt(server.url);
    const { message } = await collect(provider, requestOf({ answerSchema: CLOSED, tools: TOOLS }));
    assertEquals(textOf(message.content), ANSWER);
    const [bound]: Body[] = server.bodies;
    assertEquals(bound.response_format, {
      type: "json_schema",
      json_schema: { name: "answer", schema: CLOSED_SENT, strict: true },
    });
    assertEquals([bound.tool_choice, bound.tools.length], ["none", TOOLS.length]);

    await collect(provider, requestOf({ answerSchema: LARGE }));
    assert(JSON.stringify(LARGE).length > 100_000);
    const large: Body = server.bodies[1];
    assertEquals(large.response_format.json_schema, { name: "answer", schema: LARGE });
    assertEquals("tool_choice" in large, false);

    await collect(provider, requestOf({ tools: TOOLS }));
    for (const field of ["response_format", "tool_choice"]) assertEquals(field in (server.bodies[2] as Body), false);
  },
);

leaklessTest(
  "openChat() forces a call where response_format is refused, remembers it, and the call is the text",
  async () => {
    await using server = serve(
      refusing("This response_format type is unavailable now"),
      calling("final_answer", ANSWER, "ls"),
      calling("final_answer", '{"answer": ["low", "high"]}'),
    );
    const { provider, kept } = chatAt(server.url);
    const { message, events } = await collect(provider, requestOf({ answerSchema: CLOSED, tools: TOOLS }));
    assertEquals(kept, [{ answerFormat: "tool" }]);
    assertEquals([message.content, message.stopReason], [[{ type: "text", text: ANSWER }], "stop"]);
    const notices = events.flatMap((event) => event.type === "notice" ? [event.message] : []);
    assert(notices.some((said) => said.includes('A call of "ls" came beside the final answer and did not run')));
    assertEquals(events.some((event) => event.type === "toolcall_delta" && event.index === 0), false);
    const second: Body = server.bodies[1];
    assertEquals("response_format" in second, false);
    assertEquals(second.tool_choice, { type: "function", function: { name: "final_answer" } });
    assertEquals(second.tools.at(-1).function.parameters, CLOSED_SENT);
    assertEquals(second.tools.length, TOOLS.length + 1);

    const wrapped = await collect(provider, requestOf({ answerSchema: LEVELS }));
    assertEquals(textOf(wrapped.message.content), '["low", "high"]');
    const third: Body = server.bodies[2];
    assertEquals(third.tools[0].function.parameters, {
      type: "object",
      properties: {
        answer: {
          $defs: { level: { enum: ["low", "high"] } },
          type: "array",
          items: { $ref: "#/properties/answer/$defs/level" },
        },
      },
      required: ["answer"],
      additionalProperties: false,
    });
    assertEquals(server.bodies.length, 3);

    const next = chatAt(server.url, { answerFormat: "tool" });
    await collect(next.provider, requestOf({ answerSchema: LEVELS }));
    assertEquals("response_format" in (server.bodies[3] as Body), false);
  },
);

leaklessTest(
  "openChat() asks no more where the forced call is refused, too, and a schema's own fault is not remembered",
  async () => {
    await using server = serve(
      refusing("Unknown parameter: response_format"),
      refusing("tool_choice is not supported"),
      saying(ANSWER),
    );
    const { provider, kept } = chatAt(server.url);
    const { message } = await collect(provider, requestOf({ answerSchema: CLOSED, tools: TOOLS }));
    assertEquals(textOf(message.content), ANSWER);
    assertEquals(kept, [{ answerFormat: "tool" }, { answerFormat: "none" }]);
    const last: Body = server.bodies[2];
    assertEquals([last.tools.length, "tool_choice" in last, "response_format" in last], [TOOLS.length, false, false]);

    await using picky = serve(
      refusing("Invalid schema for response_format 'answer': schema must have type 'object'"),
      calling("final_answer", '{"answer": []}'),
    );
    const other = chatAt(picky.url);
    const reply = await collect(other.provider, requestOf({ answerSchema: LEVELS }));
    assertEquals([textOf(reply.message.content), other.kept], ["[]", []]);
  },
);

leaklessTest("openChat() leaves the reply of a server that ignores all of it as it is", async () => {
  await using server = serve(saying("Here it is."), calling("ls", "{}"), saying('{"name": "ls", "arguments": {}}'));
  const { provider } = chatAt(server.url);
  const request = requestOf({ answerSchema: CLOSED, tools: TOOLS });
  assertEquals(textOf((await collect(provider, request)).message.content), "Here it is.");
  assertEquals((await collect(provider, request)).message.stopReason, "toolUse");
  // JSON that was asked for is no call, however much it looks like one.
  const { message } = await collect(provider, request);
  assertEquals([textOf(message.content), message.stopReason], ['{"name": "ls", "arguments": {}}', "stop"]);
});

leaklessTest("openChat() gives an answer that the output limit cut as it is, and says so", async () => {
  const call = { index: 0, id: "c", type: "function", function: { name: "final_answer", arguments: '{"fir' } };
  await using server = serve(
    refusing("Function calling with a response mime type: 'application/json' is unsupported"),
    sse(`${chunk({ tool_calls: [call] })}${chunk({}, "length")}data: [DONE]\n\n`),
  );
  const { provider } = chatAt(server.url);
  const { message, events } = await collect(provider, requestOf({ answerSchema: CLOSED, tools: TOOLS }));
  assertEquals([textOf(message.content), message.stopReason], ['{"fir', "stop"]);
  const notices = events.flatMap((event) => event.type === "notice" ? [event.message] : []);
  assert(notices.includes("The output limit cut off the final answer"));
});

const responsesEvent = (type: string, rest: JsonObject): string => `data: ${JSON.stringify({ type, ...rest })}\n\n`;
const responding = (item: JsonObject): Answer =>
  sse(responsesEvent("response.completed", { response: { status: "completed", output: [item] } }));

leaklessTest("openResponses() binds by text.format, and by a forced call where that is refused", async () => {
  await using server = serve(
    responding({ type: "message", content: [{ type: "output_text", text: ANSWER }] }),
    refusing("Unsupported parameter: 'text.format'"),
    responding({ type: "function_call", call_id: "c1", name: "final_answer", arguments: ANSWER }),
  );
  const provider = openResponses({ baseUrl: server.url, apiKey: "k", model: "m" });
  const request = requestOf({ answerSchema: CLOSED, tools: TOOLS });
  assertEquals(textOf((await collect(provider, request)).message.content), ANSWER);
  const [first]: Body[] = server.bodies;
  assertEquals(first.text, { format: { type: "json_schema", name: "answer", schema: CLOSED_SENT, strict: true } });
  assertEquals(first.tool_choice, "none");
  const { message } = await collect(provider, request);
  assertEquals([message.content, message.stopReason], [[{ type: "text", text: ANSWER }], "stop"]);
  const third: Body = server.bodies[2];
  assertEquals(third.tool_choice, { type: "function", name: "final_answer" });
  assertEquals([third.tools.at(-1).parameters, "text" in third], [CLOSED_SENT, false]);
});

const messageOf = (content: JsonObject, stop: string): Answer => () =>
  Response.json({ type: "message", role: "assistant", content: [content], stop_reason: stop, usage: {} });
const toolUse = messageOf({ type: "tool_use", id: "t1", name: "final_answer", input: JSON.parse(ANSWER) }, "tool_use");

leaklessTest("openAnthropic() forces a call without thinking, and asks no more where that is refused", async () => {
  await using server = serve(
    toolUse,
    refusing("tool_choice: this model cannot be forced to use tools"),
    messageOf({ type: "text", text: ANSWER }, "end_turn"),
  );
  const provider = openAnthropic({ baseUrl: server.url, apiKey: "k", model: "claude-opus-4-5" });
  const request = requestOf({ answerSchema: CLOSED, tools: TOOLS, thinking: "high" });
  const { message } = await collect(provider, request);
  assertEquals([JSON.parse(textOf(message.content)), message.stopReason], [JSON.parse(ANSWER), "stop"]);
  const [first]: Body[] = server.bodies;
  assertEquals(first.tool_choice, { type: "tool", name: "final_answer" });
  assertEquals(first.tools.at(-1).input_schema, CLOSED_SENT);
  assertEquals("thinking" in first, false);
  assertEquals(textOf((await collect(provider, request)).message.content), ANSWER);
  const third: Body = server.bodies[2];
  assertEquals(["tool_choice" in third, third.tools.length, "thinking" in third], [false, TOOLS.length, true]);
});

leaklessTest(
  "openAnthropic() binds by output_config.format where it is known, and by a call where it is refused",
  async () => {
    await using server = serve(
      messageOf({ type: "text", text: ANSWER }, "end_turn"),
      refusing("output_config.format: Extra inputs are not permitted"),
      toolUse,
    );
    const capabilities = { answerFormat: "schema" } as const;
    const provider = openAnthropic({ baseUrl: server.url, apiKey: "k", model: "claude-opus-4-5", capabilities });
    const request = requestOf({ answerSchema: CLOSED, tools: TOOLS, thinking: "high" });
    await collect(provider, request);
    const [first]: Body[] = server.bodies;
    assertEquals(first.output_config, { effort: "high", format: { type: "json_schema", schema: CLOSED_SENT } });
    assertEquals([first.tool_choice, "thinking" in first], [{ type: "none" }, true]);
    const { message } = await collect(provider, request);
    assertEquals(JSON.parse(textOf(message.content)), JSON.parse(ANSWER));
    assertEquals((server.bodies[2] as Body).tool_choice, { type: "tool", name: "final_answer" });
    // What the field does not take goes the other way at once.
    const open = openAnthropic({ baseUrl: server.url, apiKey: "k", model: "claude-opus-4-5", capabilities });
    await collect(open, requestOf({ answerSchema: LARGE }));
    assertEquals((server.bodies[3] as Body).tools[0].input_schema, LARGE);
    await using picky = serve(refusing("tools.0.custom.input_schema: JSON schema is invalid"), toolUse);
    const other = openAnthropic({ baseUrl: picky.url, apiKey: "k", model: "claude-opus-4-5", capabilities });
    await collect(other, requestOf({ answerSchema: LARGE }));
    assertEquals([picky.bodies.length, "tools" in (picky.bodies[1] as Body)], [2, false]);
  },
);

Deno.test("answerTool() avoids names that are taken; references hold where the schema is put, and data stays", () => {
  const [tool] = TOOLS;
  assert(tool);
  const tools = [{ ...tool, name: "final_answer" }];
  assertEquals(answerTool({ tools, answerSchema: CLOSED })?.name, "final_answer_2");
  assertEquals(answerTool({ tools }), undefined);
  const schema = {
    anyOf: [{ $ref: "#" }, { enum: [{ $ref: "#/x" }] }, { properties: { enum: { $ref: "#/a" } } }, { $ref: "u:x" }],
  };
  const properties = answerTool({ tools, answerSchema: schema })?.parameters.properties as Body;
  assertEquals(properties.answer.anyOf, [
    { $ref: "#/properties/answer" },
    { enum: [{ $ref: "#/x" }] },
    { properties: { enum: { $ref: "#/properties/answer/a" } } },
    { $ref: "u:x" },
  ]);
  const named = { $id: "u:a", $ref: "#/$defs/a", $defs: { a: {} } };
  assertEquals((answerTool({ tools, answerSchema: named })?.parameters.properties as Body).answer, named);
});

Deno.test("answerIn() gives the value to the letter, and what is no such object as it is", () => {
  for (
    const [args, answer] of [
      ['{"answer": 12345678901234567890}', "12345678901234567890"],
      ['{ "answer":"}" }', '"}"'],
      ['{"answer": 1, "more": 2}', '{"answer": 1, "more": 2}'],
      ['{"answer": [', '{"answer": ['],
    ] as const
  ) assertEquals(answerIn(args, { type: "integer" }), answer);
  assertEquals(answerIn('{"answer": 1}', { type: "object" }), '{"answer": 1}');
});

Deno.test("fitsStrict() wants closed objects whose keys are all required, and keywords that strict modes know", () => {
  const closed = { type: "object", properties: { a: {} }, required: ["a"], additionalProperties: false };
  for (
    const [schema, fits] of [
      [CLOSED, true],
      [closed, true],
      [{ ...closed, required: [] }, false],
      [{ ...closed, additionalProperties: true }, false],
      [{ ...closed, properties: { a: { type: "string", minLength: 1 } } }, false],
      [{ ...closed, properties: { a: { type: ["object", "null"] } } }, false],
      [{ ...closed, properties: { a: true } }, false],
      [LEVELS, false],
      [LARGE, false],
    ] as const
  ) assertEquals(fitsStrict(schema as JsonObject), fits, JSON.stringify(schema).slice(0, 200));
});
