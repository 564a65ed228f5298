import { assertEquals, assertLess, assertMatch } from "@std/assert";
import type { Connection } from "../../src/provider/endpoint/connection.ts";
import { openAnthropic } from "../../src/provider/anthropic/anthropic.ts";
import { openChat } from "../../src/provider/openai/chat.ts";
import { openResponses } from "../../src/provider/openai/responses.ts";
import { collect, leaklessTest, requestOf, serve } from "./wire_server.ts";

const MAX = 10_000;
const PIECE = "word ".repeat(20);

function connection(baseUrl: string): Connection {
  return { baseUrl, apiKey: "", model: "m", maxReplyCharacters: MAX, newId: () => crypto.randomUUID() };
}

/** A body that never ends by itself; counts what was taken of it. */
function endless(event: (number: number) => object, count: { sent: number }): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(encoder.encode(`data: ${JSON.stringify(event(count.sent++))}\n\n`)),
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

const delta = (fields: object) => (): object => ({ choices: [{ index: 0, delta: fields }] });
const ENDLESS: readonly { name: string; api: "chat" | "responses" | "anthropic"; event: (number: number) => object }[] =
  [
    { name: "text", api: "chat", event: delta({ content: PIECE }) },
    { name: "reasoning", api: "chat", event: delta({ reasoning_content: PIECE }) },
    { name: "reasoning between tags", api: "chat", event: (at) => delta({ content: at === 0 ? "<think>" : PIECE })() },
    {
      name: "arguments",
      api: "chat",
      event: (at) =>
        delta({
          tool_calls: [{
            index: 0,
            ...(at === 0 ? { id: "c" } : {}),
            function: { name: at === 0 ? "a" : "", arguments: PIECE },
          }],
        })(),
    },
    {
      name: "calls",
      api: "chat",
      event: (index) =>
        delta({ tool_calls: [{ index, id: `c${index}`, function: { name: "read", arguments: "{}" } }] })(),
    },
    {
      name: "details that go back",
      api: "chat",
      event: delta({ reasoning_details: [{ type: "reasoning.encrypted", data: PIECE }] }),
    },
    {
      name: "calls without a word",
      api: "chat",
      event: (index) => delta({ tool_calls: [{ index }] })(),
    },
    {
      name: "fields of a call",
      api: "chat",
      event: (at) => delta({ tool_calls: [{ index: 0, id: "c", extra_content: { [`x${at}`]: PIECE } }] })(),
    },
    {
      name: "hidden reasoning",
      api: "anthropic",
      event: (index) => ({
        type: "content_block_start",
        index,
        content_block: { type: "redacted_thinking", data: PIECE },
      }),
    },
    {
      name: "blocks without a word",
      api: "anthropic",
      event: (index) => ({ type: "content_block_start", index, content_block: { type: "text", text: "" } }),
    },
    {
      name: "inputs of the server's own tools",
      api: "anthropic",
      event: (at) =>
        at === 0
          ? { type: "content_block_start", index: 0, content_block: { type: "server_tool_use", id: "s" } }
          : { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: PIECE } },
    },
    {
      name: "counts",
      api: "anthropic",
      event: (at) => ({ type: "message_delta", usage: { [`x${at}`]: PIECE } }),
    },
    {
      name: "text",
      api: "responses",
      event: () => ({ type: "response.output_text.delta", output_index: 0, content_index: 0, delta: PIECE }),
    },
    {
      name: "arguments",
      api: "responses",
      event: () => ({ type: "response.function_call_arguments.delta", output_index: 0, delta: PIECE }),
    },
  ];
for (const { name, api, event } of ENDLESS) {
  leaklessTest(`a reply of the ${api} API with endless ${name} is broken off and says so`, async () => {
    const count = { sent: 0 };
    await using server = serve(() => endless(event, count));
    const open = { chat: openChat, responses: openResponses, anthropic: openAnthropic }[api];
    const { message } = await collect(open(connection(server.url)), requestOf());
    assertEquals([message.stopReason, message.failure?.retry, server.bodies.length], ["error", false, 1]);
    assertMatch(message.errorMessage ?? "", /more than 10000 characters.*limits\.maxReplyCharacters/);
    assertLess(JSON.stringify(message).length, 2 * MAX);
  });
}

leaklessTest("a whole body that is larger than any reply is not read to its end", async () => {
  const encoder = new TextEncoder();
  await using server = serve(() => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(encoder.encode('{"choices": [{"message": {"content": "')),
      pull: (controller) => controller.enqueue(encoder.encode(PIECE.repeat(1000))),
    });
    return new Response(body, { headers: { "content-type": "application/json" } });
  });
  const { message } = await collect(openChat(connection(server.url)), requestOf());
  assertEquals([message.stopReason, message.failure?.retry], ["error", false]);
  assertMatch(message.errorMessage ?? "", /limits\.maxReplyCharacters/);
});

leaklessTest("a reply that just fits is whole", async () => {
  const text = "x".repeat(MAX);
  await using server = serve(() => {
    const events = [delta({ content: text })(), { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }];
    const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("") + "data: [DONE]\n\n";
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  });
  const { message } = await collect(openChat(connection(server.url)), requestOf());
  assertEquals([message.stopReason, message.content], ["stop", [{ type: "text", text }]]);
});
