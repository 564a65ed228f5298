import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { UserError } from "../../../src/core/error.ts";
import type { AssistantMessage } from "../../../src/core/message.ts";
import { cassetteLineOf, parseCassette } from "../../../src/provider/replay/cassette.ts";

Deno.test("parseCassette() reads every field, numbers lines as an editor does and skips blank ones", () => {
  const full = {
    text: "a",
    thinking: "b",
    calls: [{ name: "read", args: { path: "x", deep: [{ n: null }] }, id: "c1" }],
    usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, costUsd: 0.5 },
    stopReason: "length" as const,
    error: { status: 503, message: "busy", kind: "overload" as const, retry: true, retryAfterMs: 10 },
    delayMs: 5,
    chunkChars: 2,
    expect: ["x"],
  };
  assertEquals(parseCassette(`\ufeff\n${JSON.stringify(full)}\r\n\n  \n{"text":"b"}`, "c.jsonl"), [
    { lineNumber: 2, line: full },
    { lineNumber: 5, line: { text: "b" } },
  ]);
});

const BAD = [
  { line: "{text:1}", why: "it is not JSON" },
  { line: "[]", why: "the line must be of type object" },
  { line: '{"text":1}', why: '"text" must be of type string' },
  { line: '{"txt":"a"}', why: 'the line has "txt", which is no field of a reply' },
  { line: '{"calls":[{"args":{}}]}', why: '"calls.0.name" must be of type string' },
  { line: '{"calls":[{"name":"a","args":[]}]}', why: '"calls.0.args" must be an object' },
  { line: '{"stopReason":"done"}', why: '"stopReason" must be one of "stop", "length", "toolUse"' },
  { line: '{"chunkChars":0}', why: '"chunkChars" has a value that is not allowed here' },
  { line: '{"error":{"status":500}}', why: '"error.message" must be of type string' },
] as const;
for (const { line, why } of BAD) {
  Deno.test(`parseCassette() names line and fault of ${line}`, () => {
    const error = assertThrows(() => parseCassette(`{"text":"ok"}\n${line}\n`, "c.jsonl"), UserError);
    assertEquals(error.what, 'Cannot use cassette "c.jsonl"');
    assertEquals(error.why.startsWith(`line 2: ${why}`), true, error.why);
    assertEquals(error.exitCode, 2);
  });
}

const from = { role: "assistant", provider: "openai", model: "m", timestamp: 1 } as const;
const MESSAGES: readonly { name: string; message: AssistantMessage; line: object }[] = [
  {
    name: "text, reasoning, a call and usage",
    message: {
      ...from,
      content: [
        { type: "thinking", thinking: "hm", field: "reasoning" },
        { type: "text", text: "I " },
        { type: "text", text: "look" },
        { type: "toolCall", id: "c", name: "read", arguments: { path: "a" } },
      ],
      usage: { input: 5, output: 2, cacheRead: 3, cacheWrite: 0, totalTokens: 10 },
      stopReason: "toolUse",
    },
    line: {
      text: "I look",
      thinking: "hm",
      calls: [{ name: "read", args: { path: "a" }, id: "c" }],
      usage: { input: 5, output: 2, cacheRead: 3 },
    },
  },
  {
    name: "a refused call in a reply that was cut",
    message: {
      ...from,
      content: [{ type: "toolCall", id: "c", name: "w", arguments: {}, refused: { reason: "cut", raw: '{"a' } }],
      stopReason: "length",
    },
    line: { calls: [{ name: "w", args: {}, id: "c", refused: { reason: "cut", raw: '{"a' } }], stopReason: "length" },
  },
  {
    name: "a failure, with its kind",
    message: {
      ...from,
      content: [],
      stopReason: "error",
      failure: { kind: "rate_limit", message: "quota", status: 429, retry: false, retryAfterMs: 9 },
    },
    line: { error: { status: 429, message: "quota", kind: "rate_limit", retry: false, retryAfterMs: 9 } },
  },
];
for (const { name, message, line } of MESSAGES) {
  Deno.test(`cassetteLineOf() keeps ${name}`, () => {
    assertEquals<unknown>(cassetteLineOf(message), line);
    assertEquals<unknown>(parseCassette(JSON.stringify(cassetteLineOf(message)), "c")[0]?.line, line);
  });
}

Deno.test("parseCassette() gives what was written as JSON, whatever the text", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), fc.jsonValue(), (text, value) => {
    const line = { text, calls: [{ name: "t", args: { value: JSON.parse(JSON.stringify(value)) } }] };
    assertEquals<unknown>(parseCassette(JSON.stringify(line) + "\n", "c"), [{ lineNumber: 1, line }]);
  }));
});
