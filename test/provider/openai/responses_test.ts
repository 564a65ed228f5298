import { assertEquals } from "@std/assert";
import type { Message } from "../../../src/core/message.ts";
import { openResponses } from "../../../src/provider/openai/responses.ts";
import { expectationsFor, expectedSummary, summaryOf } from "../dialect_expectation.ts";
import { readFixture, TOOLS } from "../fixture_files.ts";
import { collect, leaklessTest, requestOf, serve, sse } from "../wire_server.ts";

function event(type: string, rest: Record<string, unknown>): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
}

for (const [file, fixture] of expectationsFor("responses")) {
  for (const size of [100_000, 37, 1]) {
    leaklessTest(`openResponses() understands ${file} in pieces of ${size} bytes`, async () => {
      await using server = serve(sse(readFixture(`dialects/${file}`), size));
      const provider = openResponses({ baseUrl: server.url, apiKey: "k", model: "m", newId: () => "made-up" });
      const { message } = await collect(provider, requestOf({ tools: TOOLS }));
      assertEquals<unknown>(summaryOf(message, false), expectedSummary(fixture, "made-up"));
    });
  }
}

leaklessTest("openResponses() sends reasoning items back before their calls, and every call answered", async () => {
  await using server = serve(sse(readFixture("dialects/responses-openai-tools.sse")));
  const provider = openResponses({ baseUrl: server.url, apiKey: "k", model: "m" });
  const user: Message = { role: "user", content: "hi", timestamp: 1 };
  const first = await collect(provider, requestOf({ tools: TOOLS, messages: [user] }));
  const result: Message = {
    role: "toolResult",
    toolCallId: "call_R1",
    toolName: "ls",
    content: [{ type: "text", text: "add.ts" }],
    isError: false,
    timestamp: 2,
  };
  await collect(provider, requestOf({ messages: [user, first.message, result] }));
  assertEquals<unknown>(server.bodies[1], {
    model: "m",
    stream: true,
    store: false,
    instructions: "Be good.",
    input: [
      { role: "user", content: "hi" },
      {
        id: "rs_1",
        type: "reasoning",
        summary: [{ type: "summary_text", text: "Checking the tree." }],
        encrypted_content: "ZW5j",
      },
      { role: "assistant", content: "One moment." },
      { type: "function_call", call_id: "call_R1", name: "ls", arguments: '{"path":"src"}' },
      { type: "function_call_output", call_id: "call_R1", output: "add.ts" },
    ],
  });
});

const ENDINGS: readonly { name: string; body: string; expect: readonly [string, string | undefined] }[] = [
  {
    name: "an end that never came",
    body: event("response.output_text.delta", { delta: "a" }),
    expect: ["error", "network"],
  },
  {
    name: "an output limit",
    body: event("response.output_text.delta", { delta: "a" }) +
      event("response.incomplete", {
        response: { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } },
      }),
    expect: ["length", undefined],
  },
  {
    name: "a failed response",
    body: event("response.failed", {
      response: { status: "failed", error: { code: "rate_limit_exceeded", message: "slow" } },
    }),
    expect: ["error", "rate_limit"],
  },
  {
    name: "an error event with its fields at the top",
    body: event("error", { code: "context_length_exceeded", message: "too long" }),
    expect: ["error", "context_overflow"],
  },
  {
    name: "an output that came only with the end",
    body: event("response.completed", {
      response: { output: [{ type: "message", content: [{ type: "output_text", text: "x" }] }] },
    }),
    expect: ["stop", undefined],
  },
];
for (const { name, body, expect } of ENDINGS) {
  leaklessTest(`openResponses() understands ${name}`, async () => {
    await using server = serve(sse(body));
    const { message } = await collect(openResponses({ baseUrl: server.url, apiKey: "k", model: "m" }), requestOf());
    assertEquals([message.stopReason, message.failure?.kind], expect);
  });
}

leaklessTest("openResponses() takes a call once, although its end tells it again under another id", async () => {
  const item = (callId: string, args: string) => ({
    type: "function_call",
    call_id: callId,
    name: "ls",
    arguments: args,
  });
  const body = event("response.output_item.added", { output_index: 0, item: item("a", "") }) +
    event("response.output_item.done", { output_index: 0, item: item("b", "{}") }) +
    event("response.completed", { response: { output: [] } });
  await using server = serve(sse(body));
  const provider = openResponses({ baseUrl: server.url, apiKey: "k", model: "m" });
  const { message } = await collect(provider, requestOf({ tools: TOOLS }));
  assertEquals(message.content, [{ type: "toolCall", id: "a", name: "ls", arguments: {} }]);
});

leaklessTest("openResponses() sends the summary of a history as an item of the system's own R313", async () => {
  await using server = serve(sse(readFixture("dialects/responses-openai-tools.sse")));
  const provider = openResponses({ baseUrl: server.url, apiKey: "k", model: "m" });
  const messages = [
    { role: "system", content: "Summary of earlier conversation:\nSHORT" },
    { role: "user", content: "hi", timestamp: 1 },
  ] as const;
  await collect(provider, requestOf({ system: { stable: "PROMPT", dynamic: "" }, messages }));
  const { instructions, input } = server.bodies[0] as { instructions: unknown; input: unknown };
  assertEquals([instructions, input], ["PROMPT", [messages[0], { role: "user", content: "hi" }]]);
});
