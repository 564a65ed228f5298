import { assertEquals } from "@std/assert";
import type { Message } from "../../../src/core/message.ts";
import { openResponses } from "../../../src/provider/openai/responses.ts";
import { readFixture, TOOLS } from "../fixture_files.ts";
import { collect, leaklessTest, requestOf, serve, sse } from "../wire_server.ts";

function event(type: string, rest: Record<string, unknown>): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
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

const done = (index: number, item: Record<string, unknown>): string =>
  event("response.output_item.done", { output_index: index, item });
const text = (value: string): Record<string, unknown> => ({ type: "output_text", text: value, annotations: [] });

leaklessTest("openResponses() sends items back in the order in which they came, with their phases", async () => {
  const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "ZQ==" };
  const later = { type: "reasoning", id: "rs_2", summary: [], encrypted_content: "Zg==" };
  await using server = serve(sse(
    done(0, reasoning) +
      event("response.output_item.added", {
        output_index: 1,
        item: { type: "message", phase: "commentary", content: [] },
      }) +
      event("response.output_text.delta", { output_index: 1, content_index: 0, delta: "I look." }) +
      done(1, { type: "message", content: [text("I look.")] }) +
      done(2, { type: "function_call", call_id: "c1", name: "ls", arguments: "{}" }) +
      done(3, later) +
      done(4, { type: "message", phase: "final_answer", content: [text("And "), text("done.")] }) +
      event("response.completed", { response: { status: "completed", output: [] } }),
  ));
  const provider = openResponses({ baseUrl: server.url, apiKey: "k", model: "m" });
  const { message } = await collect(provider, requestOf({ tools: TOOLS }));
  assertEquals(message.content, [
    { type: "text", text: "I look.\n\nAnd done." },
    { type: "toolCall", id: "c1", name: "ls", arguments: {} },
  ]);
  await collect(provider, requestOf({ messages: [message] }));
  assertEquals<unknown>(server.bodies[1]?.input, [
    reasoning,
    { role: "assistant", content: "I look.", phase: "commentary" },
    { type: "function_call", call_id: "c1", name: "ls", arguments: "{}" },
    later,
    { role: "assistant", content: "And done.", phase: "final_answer" },
    { type: "function_call_output", call_id: "c1", output: "(this call was not run)" },
  ]);

  // A message that is no longer what came: nothing of its order holds, and all of it goes out.
  const changed = { ...message, content: [{ type: "text", text: "Other." } as const, ...message.content.slice(1)] };
  await collect(provider, requestOf({ messages: [changed] }));
  assertEquals<unknown>(server.bodies[2]?.input, [
    reasoning,
    later,
    { role: "assistant", content: "Other.", phase: "final_answer" },
    { type: "function_call", call_id: "c1", name: "ls", arguments: "{}" },
    { type: "function_call_output", call_id: "c1", output: "(this call was not run)" },
  ]);

  // Another model, and a session of an earlier version.
  const legacy = { ...message, keep: { origin: new URL(server.url).host, reasoning_items: [reasoning] } };
  await collect(provider, requestOf({ messages: [{ ...message, model: "other" }, legacy] }));
  assertEquals<unknown>(
    (server.bodies[3]?.input as { type?: string; id?: string }[]).map(({ type = "message", id }) => id ?? type),
    ["message", "function_call", "function_call_output", "rs_1", "message", "function_call", "function_call_output"],
  );
});

leaklessTest("openResponses() keeps the parts of a summary apart", async () => {
  const part = (index: number, delta: string): string =>
    event("response.reasoning_summary_text.delta", { output_index: 0, summary_index: index, delta });
  const summary = [{ type: "summary_text", text: "One." }, { type: "summary_text", text: "Two." }];
  await using server = serve(sse(
    part(0, "One") + part(0, ".") + part(1, "Two.") + done(0, { type: "reasoning", id: "rs_1", summary }) +
      done(1, { type: "message", content: [text("a")] }) +
      event("response.completed", { response: { status: "completed", output: [] } }),
  ));
  const { message } = await collect(openResponses({ baseUrl: server.url, apiKey: "k", model: "m" }), requestOf());
  assertEquals(message.content[0], { type: "thinking", thinking: "One.\n\nTwo." });
});
