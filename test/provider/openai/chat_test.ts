import { assertEquals } from "@std/assert";
import { openChat } from "../../../src/provider/openai/chat.ts";
import type { Connection } from "../../../src/provider/endpoint/connection.ts";
import { TOOLS } from "../fixture_files.ts";
import { chunk, collect, joined, leaklessTest, requestOf, saying, serve, sse } from "../wire_server.ts";

const KEY = "test-key-0123456789";

function connection(baseUrl: string, more: Partial<Connection> = {}): Connection {
  return { baseUrl, apiKey: KEY, apiKeyEnv: "MY_KEY", model: "m", now: () => 5, newId: () => "made-up", ...more };
}

function json(status: number, body: unknown, headers: Record<string, string> = {}): () => Response {
  return () => Response.json(body, { status, headers });
}

leaklessTest("openChat() streams text and ends with the whole message", async () => {
  await using server = serve(sse(
    chunk({ role: "assistant", content: "" }) + chunk({ content: "Hel" }) + chunk({ content: "lo" }) +
      chunk({}, "stop") +
      chunk({}, null, {
        usage: { prompt_tokens: 10, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 4 } },
      }) +
      "data: [DONE]\n\n",
  ));
  const price = { input: 1e6, cacheRead: 5e5, output: 2e6 };
  const { events, message } = await collect(openChat(connection(server.url, { price })), requestOf());
  assertEquals(events.slice(0, -1), [{ type: "text_delta", delta: "Hel" }, { type: "text_delta", delta: "lo" }]);
  assertEquals<unknown>(message, {
    role: "assistant",
    content: [{ type: "text", text: "Hello" }],
    provider: "openai",
    model: "m",
    usage: {
      input: 6,
      output: 2,
      cacheRead: 4,
      cacheWrite: 0,
      totalTokens: 12,
      cost: { input: 6, output: 4, cacheRead: 2, total: 12 },
    },
    stopReason: "stop",
    timestamp: 5,
  });
});

leaklessTest(
  "openChat() sends what every server takes, with the key only in its header (R422, R423, R426, R436)",
  async () => {
    await using server = serve(saying("ok"));
    const tool = { name: "ls", description: "Lists", parameters: { $schema: "x", type: "object", properties: {} } };
    const request = requestOf({ tools: [tool], maxTokens: 99, cacheKey: "c", thinking: "high" });
    await collect(openChat(connection(server.url)), request);
    assertEquals<unknown>(server.bodies, [{
      model: "m",
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 99,
      reasoning_effort: "high",
      tools: [{
        type: "function",
        function: { name: "ls", description: "Lists", parameters: { type: "object", properties: {} } },
      }],
      messages: [{ role: "system", content: "Be good." }, { role: "user", content: "hi" }],
    }]);
    assertEquals(server.headers[0]?.get("authorization"), `Bearer ${KEY}`);
  },
);

leaklessTest("openChat() shows the payload to a hook and sends what it gives back (R213, R216)", async () => {
  await using server = serve(saying("ok"));
  const beforeRequest = (payload: Record<string, unknown>) => ({ ...payload, temperature: 0.5 }) as never;
  await collect(openChat(connection(server.url, { beforeRequest })), requestOf());
  assertEquals(server.bodies[0]?.temperature, 0.5);
});

for (const status of [400, 422]) {
  leaklessTest(`openChat() asks again without stream_options when a ${status} names it, and remembers`, async () => {
    const refusal = json(status, { error: { message: "Unrecognized request argument: stream_options" } });
    await using server = serve(refusal, saying("a"), saying("b"));
    const provider = openChat(connection(server.url));
    assertEquals((await collect(provider, requestOf())).message.stopReason, "stop");
    assertEquals((await collect(provider, requestOf())).message.stopReason, "stop");
    assertEquals(server.bodies.map((body) => "stream_options" in body), [true, false, false]);
  });
}

leaklessTest("openChat() uses the other name of the token limit when the server asks for it", async () => {
  const text =
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
  await using server = serve(json(400, { error: { message: text } }), saying("a"));
  assertEquals(
    (await collect(openChat(connection(server.url)), requestOf({ maxTokens: 7 }))).message.stopReason,
    "stop",
  );
  assertEquals(server.bodies.map((body) => [body.max_tokens, body.max_completion_tokens]), [[7, undefined], [
    undefined,
    7,
  ]]);
});

leaklessTest("openChat() takes a reply of a server that does not stream", async () => {
  await using server = serve(json(200, {
    choices: [{ message: { role: "assistant", content: "Whole" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 1, completion_tokens: 1 },
  }));
  const { message } = await collect(openChat(connection(server.url)), requestOf());
  assertEquals([message.stopReason, message.content], ["stop", [{ type: "text", text: "Whole" }]]);
});

leaklessTest("openChat() tells about each repair", async () => {
  const call = { index: 0, id: "c1", function: { name: "Read", arguments: '{"file_path":"a","limit":"3"}' } };
  await using server = serve(sse(`${chunk({ tool_calls: [call] })}${chunk({}, "tool_calls")}data: [DONE]\n\n`));
  const { events } = await collect(openChat(connection(server.url)), requestOf({ tools: TOOLS }));
  assertEquals(events.filter(({ type }) => type === "notice"), [
    { type: "notice", message: 'Repaired a call of "read": name "Read" taken as "read"' },
    { type: "notice", message: 'Repaired a call of "read": "file_path" taken as "path"' },
    { type: "notice", message: 'Repaired a call of "read": "limit": text taken as integer' },
  ]);
});

leaklessTest(
  "openChat() skips comments that a gateway turned into data, and reads events that lost a blank line",
  async () => {
    const glued = `data: : OPENROUTER PROCESSING\n\n${chunk({ content: "a" }).trimEnd()}\n${chunk({ content: "b" })}${
      chunk({}, "stop")
    }`;
    await using server = serve(sse(glued));
    const { events } = await collect(openChat(connection(server.url)), requestOf());
    assertEquals(joined(events, "text_delta"), "ab");
  },
);

leaklessTest("openChat() uses one connection for several requests", async () => {
  const ports = new Set<number>();
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request, { remoteAddr }) => {
    ports.add(remoteAddr.port);
    await request.text();
    return await saying("ok")(request, {});
  });
  const provider = openChat(connection(`http://127.0.0.1:${server.addr.port}/v1`));
  for (let turn = 0; turn < 5; turn++) await collect(provider, requestOf());
  await server.shutdown();
  assertEquals(ports.size, 1);
});

leaklessTest("openChat() gives reasoning whose tag never closed as text", async () => {
  await using server = serve(sse(chunk({ content: "<think>not" }) + chunk({ content: " really" }) + chunk({}, "stop")));
  const { events, message } = await collect(openChat(connection(server.url)), requestOf());
  assertEquals(message.content, [{ type: "text", text: "<think>not really" }]);
  assertEquals(joined(events, "text_delta"), "<think>not really");
});

leaklessTest("openChat() sends no authorization when there is no key", async () => {
  await using server = serve(saying("ok"));
  await collect(openChat(connection(server.url, { apiKey: "" })), requestOf());
  assertEquals(server.headers[0]?.get("authorization"), null);
});

leaklessTest("openChat() reads the wait of an array of errors, as Gemini sends them", async () => {
  const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "10s" }];
  await using server = serve(
    json(429, [{ error: { code: 429, message: "spent", status: "RESOURCE_EXHAUSTED", details } }]),
  );
  const { failure } = (await collect(openChat(connection(server.url)), requestOf())).message;
  assertEquals([failure?.kind, failure?.retry, failure?.retryAfterMs], ["rate_limit", true, 10_000]);
});

leaklessTest("openChat() counts what the server charged, and the tokens of reasoning", async () => {
  const usage = {
    prompt_tokens: 10,
    completion_tokens: 5,
    completion_tokens_details: { reasoning_tokens: 3 },
    cost: 0.25,
    is_byok: true,
    cost_details: { upstream_inference_cost: 0.5 },
  };
  await using server = serve(sse(`${chunk({ content: "a" }, "stop")}${chunk({}, null, { usage })}data: [DONE]\n\n`));
  const { message } = await collect(openChat(connection(server.url)), requestOf());
  assertEquals(message.usage, {
    input: 10,
    output: 5,
    reasoningTokens: 3,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 15,
    cost: { input: 0, output: 0, cacheRead: 0, total: 0.75 },
  });
});
