import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { AssistantMessage, Message, ToolResultMessage } from "../../../src/core/message.ts";
import type { ProviderRequest, ThinkingLevel } from "../../../src/core/provider.ts";
import { headersOf } from "../../../src/provider/anthropic/anthropic.ts";
import { createAnthropicRequest } from "../../../src/provider/anthropic/request.ts";
import { thinkingTraits } from "../../../src/provider/anthropic/thinking.ts";
import { openProvider } from "../../../src/provider/mod.ts";
import { collect, joined, leaklessTest, requestOf, serve, sse } from "../wire_server.ts";
import { type Block, connect, event, READ, replyEvents } from "./wire.ts";

const THOUGHT = { type: "thinking", thinking: "Let me see. ", signature: "SIG-1" } as const;
const REDACTED = { type: "redacted_thinking", data: "ENCRYPTED" } as const;
const SAID = { type: "text", text: "I look into a.ts. " } as const;
const AGAIN = { type: "thinking", thinking: "And b.ts, too.", signature: "SIG-2" } as const;
const CALLS = [
  { type: "tool_use", id: "toolu_1", name: "read", input: { path: "a.ts" } },
  { type: "tool_use", id: "toolu_2", name: "read", input: { path: "b.ts" } },
] as const;
const BLOCKS: readonly Block[] = [THOUGHT, REDACTED, SAID, AGAIN, ...CALLS];

const user = (text: string): Message => ({ role: "user", content: text, timestamp: 1 });

function result(id: string, content: ToolResultMessage["content"], isError = false): ToolResultMessage {
  return { role: "toolResult", toolCallId: id, toolName: "read", content, isError, timestamp: 1 };
}

const text = (words: string) => [{ type: "text", text: words }] as const;

// deno-lint-ignore no-explicit-any -- bodies of the wire format
type Body = any;

/** The body of a request, and the reply to it. */
async function exchange(
  request: Partial<ProviderRequest>,
  more: Parameters<typeof connect>[1] = {},
  blocks: readonly Block[] = [SAID],
): Promise<{ readonly body: Body; readonly headers: Headers; readonly message: AssistantMessage }> {
  await using server = serve(sse(replyEvents(blocks)));
  const { message } = await collect(connect(server.url, more), requestOf(request));
  return { body: server.bodies[0], headers: server.headers[0] ?? new Headers(), message };
}

leaklessTest("openAnthropic() asks with key, version, both halves, tools and four marks", async () => {
  const image = { type: "image", data: "AAAA", mimeType: "image/png" } as const;
  const first = await exchange({ tools: [READ] }, {}, BLOCKS);
  const { body, headers } = await exchange({
    system: { stable: "STABLE", dynamic: "DYNAMIC" },
    tools: [{ ...READ, name: "first" }, READ],
    messages: [
      { role: "system", content: "SUMMARY" },
      user("hi"),
      { ...first.message, keep: { ...first.message.keep, origin: "elsewhere" } },
      result("toolu_2", [...text("seen"), image]),
      result("toolu_1", [], true),
      user("and now?"),
    ],
    maxTokens: 5000,
  });
  assertEquals(headers.get("x-api-key"), "sk-ant-secret");
  assertEquals(headers.get("authorization"), null);
  assertEquals(headers.get("anthropic-version"), "2023-06-01");
  assertEquals(headers.get("anthropic-beta"), null);
  const mark = { cache_control: { type: "ephemeral" } };
  const { $schema: _, ...input_schema } = READ.parameters;
  assertEquals(body, {
    model: "claude-opus-4-7",
    max_tokens: 5000,
    stream: true,
    tools: [
      { name: "first", description: "Reads a file.", input_schema },
      { name: "read", description: "Reads a file.", input_schema, ...mark },
    ],
    system: [{ type: "text", text: "STABLE", ...mark }, { type: "text", text: "DYNAMIC" }, {
      type: "text",
      text: "SUMMARY",
    }],
    messages: [
      { role: "user", content: [{ type: "text", text: "hi", ...mark }] },
      { role: "assistant", content: [{ type: "text", text: SAID.text }, ...CALLS] },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "toolu_1", content: "(no output)", is_error: true },
          {
            type: "tool_result",
            tool_use_id: "toolu_2",
            content: [{ type: "text", text: "seen" }, {
              type: "image",
              source: { type: "base64", media_type: "image/png", data: "AAAA" },
            }],
          },
          { type: "text", text: "and now?", ...mark },
        ],
      },
    ],
  });
});

leaklessTest("openAnthropic() gives text, reasoning, calls, usage and cost, and one end", async () => {
  const usage = { input_tokens: 3, cache_creation_input_tokens: 100, cache_read_input_tokens: 1000, output_tokens: 50 };
  await using server = serve(sse(replyEvents(BLOCKS, { usage })));
  const price = { input: 10, output: 50 };
  const { events, message } = await collect(connect(server.url, { price }), requestOf({ tools: [READ] }));
  assertEquals(joined(events, "thinking_delta"), "Let me see. \n\nAnd b.ts, too.");
  assertEquals(joined(events, "text_delta"), SAID.text);
  assertEquals(message.stopReason, "toolUse");
  assertEquals([message.provider, message.model], ["anthropic", "claude-opus-4-7"]);
  assertEquals(message.content.slice(1), [
    { type: "text", text: SAID.text },
    { type: "toolCall", id: "toolu_1", name: "read", arguments: { path: "a.ts" } },
    { type: "toolCall", id: "toolu_2", name: "read", arguments: { path: "b.ts" } },
  ]);
  const { cost, ...counts } = message.usage ?? {};
  assertEquals<unknown>(counts, { input: 3, output: 50, cacheRead: 1000, cacheWrite: 100, totalTokens: 1153 });
  // A written token costs a quarter more, one out of the cache a tenth.
  assertEquals(cost?.total?.toFixed(8), ((3 * 10 + 100 * 12.5 + 1000 * 1 + 50 * 50) / 1e6).toFixed(8));
});

leaklessTest(
  "openAnthropic() sends signed and redacted reasoning back unchanged, in its place, also after a session file",
  async () => {
    await using server = serve(sse(replyEvents(BLOCKS)));
    const provider = connect(server.url);
    const { message } = await collect(provider, requestOf({ tools: [READ] }));
    const stored: AssistantMessage = JSON.parse(JSON.stringify(message));
    const results = [result("toolu_1", text("A")), result("toolu_2", text("B"))];
    await collect(provider, requestOf({ tools: [READ], messages: [user("hi"), stored, ...results] }));
    const { messages }: Body = server.bodies[1];
    assertEquals(messages[1], { role: "assistant", content: BLOCKS });
    // Another model gets none of it, and neither does another server.
    await collect(
      connect(server.url, { model: "claude-opus-4-8" }),
      requestOf({ messages: [user("hi"), stored, ...results] }),
    );
    const other: Body = server.bodies[2];
    assertEquals(other.messages[1].content, [{ type: "text", text: SAID.text }, ...CALLS]);
  },
);

leaklessTest("openAnthropic() leaves reasoning out of a message that is not what it was", async () => {
  const { message } = await exchange({ tools: [READ] }, {}, BLOCKS);
  const changed = message.content.map((part) => part.type === "text" ? { ...part, text: "other words" } : part);
  await using server = serve(sse(replyEvents([SAID])));
  const keep = { ...message.keep, origin: new URL(server.url).host };
  for (const content of [changed, message.content.slice(0, -1), message.content]) {
    await collect(connect(server.url), requestOf({ messages: [user("hi"), { ...message, content, keep }] }));
  }
  const kinds = server.bodies.map((body: Body) => body.messages[1].content.map(({ type }: Block) => type));
  assertEquals(kinds, [["text", "tool_use", "tool_use"], [
    "thinking",
    "redacted_thinking",
    "text",
    "thinking",
    "tool_use",
  ], BLOCKS.map(({ type }) => type)]);
});

const LEVELS: readonly (readonly [string, ThinkingLevel, number, unknown])[] = [
  ["claude-opus-4-7", "off", 9000, {}],
  ["claude-opus-4-7", "minimal", 9000, {
    thinking: { type: "adaptive", display: "summarized" },
    output_config: { effort: "low" },
  }],
  ["claude-sonnet-5-5", "xhigh", 9000, {
    thinking: { type: "adaptive", display: "summarized" },
    output_config: { effort: "xhigh" },
  }],
  ["anthropic/claude-sonnet-4.6", "xhigh", 9000, { thinking: { type: "adaptive" }, output_config: { effort: "max" } }],
  ["claude-opus-4-5-20251101", "xhigh", 64_000, {
    thinking: { type: "enabled", budget_tokens: 32_000 },
    output_config: { effort: "high" },
  }],
  ["claude-haiku-4-5", "high", 64_000, { thinking: { type: "enabled", budget_tokens: 20_000 } }],
  ["claude-haiku-4-5", "high", 8000, { thinking: { type: "enabled", budget_tokens: 4000 } }],
  ["claude-opus-4-20250514", "low", 1500, {}],
  ["claude-3-5-sonnet-20241022", "high", 8000, {}],
  ["kimi-k2.5", "medium", 30_000, { thinking: { type: "enabled", budget_tokens: 10_000 } }],
];

leaklessTest("openAnthropic() asks each model for thinking as it takes it", async () => {
  for (const [model, thinking, maxTokens, expected] of LEVELS) {
    const { body: { thinking: asked, output_config } } = await exchange({ thinking, maxTokens }, { model });
    const fields = { ...(asked ? { thinking: asked } : {}), ...(output_config ? { output_config } : {}) };
    assertEquals<unknown>(fields, expected, `${model} ${thinking}`);
  }
});

leaklessTest(
  "openAnthropic() does not ask for thinking with a budget in the middle of a turn that began without it",
  async () => {
    const call = { type: "toolCall", id: "call_1", name: "read", arguments: { path: "a.ts" } } as const;
    const foreign: AssistantMessage = {
      role: "assistant",
      content: [{ type: "thinking", thinking: "hm", field: "reasoning_content" }, call],
      provider: "openai",
      model: "gpt-5",
      keep: { origin: "api.openai.com" },
      stopReason: "toolUse",
      timestamp: 1,
    };
    const messages = [user("hi"), foreign, result("call_1", text("A"))];
    const options = { model: "claude-haiku-4-5" };
    const middle = await exchange({ thinking: "high", tools: [READ], messages }, options);
    assertEquals([middle.body.thinking, middle.body.messages[1].content], [undefined, [{
      type: "tool_use",
      id: "call_1",
      name: "read",
      input: { path: "a.ts" },
    }]]);
    const said: AssistantMessage = { ...foreign, content: text("done"), stopReason: "stop" };
    const next = await exchange(
      { thinking: "high", tools: [READ], messages: [...messages, said, user("go on")] },
      options,
    );
    assertEquals(next.body.thinking.type, "enabled");
  },
);

leaklessTest(
  "openAnthropic() goes on with a session of other servers: odd ids, one id twice, no first user, silent results",
  async () => {
    const reply = (id: string): AssistantMessage => ({
      role: "assistant",
      content: [{ type: "toolCall", id, name: "functions.read", arguments: {} }],
      provider: "openai",
      model: "kimi",
      stopReason: "toolUse",
      timestamp: 1,
    });
    const messages = [
      reply("functions.read:0"),
      result("functions.read:0", text("A")),
      reply("call_0"),
      result("call_0", text("B")),
      reply("call_0"),
      user("stop \ud800that"),
    ];
    const { body } = await exchange({ messages, tools: [READ] });
    const ids = body.messages.flatMap(({ content }: Body) =>
      content.flatMap(({ type, id, tool_use_id, content }: Body) =>
        type === "tool_use" ? [id] : type === "tool_result" ? [`${tool_use_id} ${content}`] : []
      )
    );
    assertEquals(ids.length, 6);
    assert(/^toolu_[0-9a-f]{24}$/.test(ids[0]));
    assertEquals(ids[1], `${ids[0]} A`);
    assertEquals(ids.slice(2), ["call_0", "call_0 B", "call_0-2", "call_0-2 (this call was not run)"]);
    assertEquals(body.messages.map(({ role }: Body) => role), [
      "user",
      "assistant",
      "user",
      "assistant",
      "user",
      "assistant",
      "user",
    ]);
    assertEquals(body.messages.at(-1).content.at(-1).text, "stop that");
  },
);

leaklessTest("openAnthropic() names the tools of a conversation that may call none any more", async () => {
  await using server = serve(sse(replyEvents(BLOCKS)));
  const provider = connect(server.url);
  const { message } = await collect(provider, requestOf({ tools: [READ] }));
  const messages = [user("hi"), message, result("toolu_1", text("A")), result("toolu_2", text("B"))];
  await collect(provider, requestOf({ messages }));
  await collect(connect(server.url), requestOf({ messages }));
  await collect(provider, requestOf());
  const [first, again, anew, plain]: Body[] = server.bodies;
  assertEquals([again.tools, again.tool_choice], [first.tools, { type: "none" }]);
  assertEquals(anew.tools.map(({ name }: Body) => name), ["read"]);
  assertEquals([plain.tools, plain.tool_choice], [undefined, undefined]);
});

leaklessTest("openAnthropic() repairs and refuses inputs as all adapters do", async () => {
  const broken: readonly Block[] = [
    { type: "raw_tool_use", id: "t1", name: "read", json: '```json\n{"path": "a.ts"}\n```' },
    { type: "raw_tool_use", id: "t2", name: "read", json: '{"path": "a' },
    { type: "raw_tool_use", id: "t3", name: "READ", json: '{"path": "c.ts"}' },
  ];
  await using server = serve(sse(replyEvents(broken)), sse(replyEvents(broken.slice(1, 2), { stop: "max_tokens" })));
  const provider = connect(server.url);
  const { message, events } = await collect(provider, requestOf({ tools: [READ] }));
  assertEquals(
    message.content.map((part) => part.type === "toolCall" ? [part.name, part.arguments, !part.refused] : part),
    [
      ["read", { path: "a.ts" }, true],
      ["read", {}, false],
      ["read", { path: "c.ts" }, true],
    ],
  );
  assert(events.some((event) => event.type === "notice" && event.message.includes("code fence removed")));
  const cut = await collect(provider, requestOf({ tools: [READ] }));
  assertEquals([cut.message.stopReason, cut.message.content], ["length", []]);
});

leaklessTest(
  "openAnthropic() goes on after a pause, counts both responses, and does so eight times at most",
  async () => {
    const search = event("content_block_start", {
      index: 1,
      content_block: { type: "server_tool_use", id: "s", name: "web_search", input: {} },
    }) +
      event("content_block_delta", { index: 1, delta: { type: "input_json_delta", partial_json: '{"query":"x"}' } }) +
      event("content_block_stop", { index: 1 });
    const first = replyEvents([THOUGHT], { stop: "pause_turn", usage: { input_tokens: 5, output_tokens: 7 } })
      .replace("event: message_delta", () => `${search}event: message_delta`);
    await using server = serve(
      sse(first),
      sse(replyEvents([SAID], { usage: { input_tokens: 11, output_tokens: 13 } })),
    );
    const { message, events } = await collect(connect(server.url), requestOf({ messages: [user("hi")] }));
    assertEquals(message.content.map((part) => part.type === "text" ? part.text : part.type), ["thinking", SAID.text]);
    assertEquals([message.stopReason, message.usage?.input, message.usage?.output], ["stop", 16, 20]);
    const [asked, again]: Body[] = server.bodies;
    assertEquals(again.messages, [...asked.messages, {
      role: "assistant",
      content: [THOUGHT, { type: "server_tool_use", id: "s", name: "web_search", input: { query: "x" } }],
    }]);
    assertEquals(events.filter(({ type }) => type === "notice").length, 1);
    await using endless = serve(sse(replyEvents([SAID], { stop: "pause_turn" })));
    const late = await collect(connect(endless.url), requestOf());
    assertEquals([endless.bodies.length, late.message.stopReason], [9, "stop"]);
  },
);

leaklessTest(
  "openAnthropic() leaves out what it does not know, with one notice for each kind, and knows ping",
  async () => {
    const odd = event("content_block_start", { index: 5, content_block: { type: "hologram", depth: 3 } }) +
      event("content_block_delta", { index: 5, delta: { type: "depth_delta", depth: 4 } }).repeat(3) +
      event("content_block_stop", { index: 5 }) + event("weather", { rain: true }).repeat(2) + event("ping") +
      "event: ping\ndata: {}\n\n";
    const reply = replyEvents([SAID]).replace("event: message_delta", () => `${odd}event: message_delta`);
    await using server = serve(sse(reply));
    const { message, events } = await collect(connect(server.url), requestOf());
    assertEquals(message.content, [{ type: "text", text: SAID.text }]);
    const notices = events.flatMap((event) => event.type === "notice" ? [event.message] : []);
    assertEquals(notices.map((notice) => /"(\w+)"/.exec(notice)?.[1]), ["hologram", "depth_delta", "weather"]);
  },
);

leaklessTest(
  "openAnthropic() takes a whole body where a server does not stream, and an input that came with its beginning",
  async () => {
    const body = {
      type: "message",
      role: "assistant",
      content: [THOUGHT, SAID, CALLS[0]],
      stop_reason: "tool_use",
      usage: { input_tokens: 4, output_tokens: 2 },
    };
    const whole = () => Response.json(body);
    const started = event("message_start", { message: { usage: {} } }) +
      event("content_block_start", { index: 0, content_block: CALLS[0] }) + event("content_block_stop", { index: 0 }) +
      event("message_delta", { delta: { stop_reason: "tool_use" } }) + event("message_stop");
    await using server = serve(whole, sse(started));
    const provider = connect(server.url);
    const { message } = await collect(provider, requestOf({ tools: [READ] }));
    assertEquals([message.stopReason, message.usage?.totalTokens, message.content.length], ["toolUse", 6, 3]);
    const { message: second } = await collect(provider, requestOf({ tools: [READ] }));
    assertEquals(second.content, [{ type: "toolCall", id: "toolu_1", name: "read", arguments: { path: "a.ts" } }]);
  },
);

leaklessTest(
  "openAnthropic() names the variable of the key where the server refuses it, and never the key",
  async () => {
    const body = { type: "error", error: { type: "authentication_error", message: "invalid x-api-key sk-ant-secret" } };
    await using server = serve(() => Response.json(body, { status: 401 }));
    const { message } = await collect(connect(server.url, { apiKeyEnv: "ANTHROPIC_API_KEY" }), requestOf());
    assertEquals(message.failure?.kind, "auth");
    assertStringIncludes(message.failure?.message ?? "", "ANTHROPIC_API_KEY");
    assert(!JSON.stringify(message).includes("sk-ant-secret"));
  },
);

leaklessTest("openAnthropic() sends no message that ends with a thought, and none that is only one", async () => {
  const { message } = await exchange({}, {}, [SAID, AGAIN]);
  await using server = serve(sse(replyEvents([SAID])));
  const keep = { ...message.keep, origin: new URL(server.url).host };
  const only = { ...message, content: message.content.filter(({ type }) => type === "thinking"), keep };
  await collect(
    connect(server.url),
    requestOf({ messages: [user("hi"), { ...message, keep }, user("on"), only, user("and on")] }),
  );
  const { messages }: Body = server.bodies[0];
  assertEquals(messages.map(({ content }: Body) => content.map(({ type }: Block) => type)), [["text"], ["text"], [
    "text",
    "text",
  ]]);
});

leaklessTest(
  "a session of Claude's goes on with the other protocols, without its reasoning and with the same calls",
  async () => {
    const { message } = await exchange({ tools: [READ] }, {}, BLOCKS);
    const results = [result("toolu_1", text("A")), result("toolu_2", text("B"))];
    await using server = serve(() => Response.json({ error: { message: "seen" } }, { status: 403 }));
    for (const api of ["chat", "responses"]) {
      const provider = await openProvider(api, { baseUrl: server.url, apiKey: "k", model: "gpt-5" });
      await collect(provider, requestOf({ messages: [user("hi"), message, ...results] }));
    }
    const [chat, responses]: Body[] = server.bodies;
    assertEquals(chat.messages.slice(2), [
      {
        role: "assistant",
        content: SAID.text,
        tool_calls: CALLS.map(({ id, name, input }) => ({
          id,
          type: "function",
          function: { name, arguments: JSON.stringify(input) },
        })),
      },
      { role: "tool", tool_call_id: "toolu_1", content: "A" },
      { role: "tool", tool_call_id: "toolu_2", content: "B" },
    ]);
    assertEquals(responses.input.map(({ type, role }: Body) => type ?? role), [
      "user",
      "assistant",
      "function_call",
      "function_call",
      "function_call_output",
      "function_call_output",
    ]);
    assert(!/SIG|ENCRYPTED|Let me see/.test(server.texts.join("")));
  },
);

leaklessTest("openAnthropic() keeps the reasoning of a server that does not say where blocks end", async () => {
  const stops = /event: content_block_stop\ndata: .*\n\n/g;
  await using server = serve(sse(replyEvents([THOUGHT, SAID, AGAIN, SAID]).replace(stops, "")));
  const provider = connect(server.url);
  const { message } = await collect(provider, requestOf());
  await collect(provider, requestOf({ messages: [user("hi"), message, user("on")] }));
  const { messages }: Body = server.bodies[1];
  assertEquals(messages[1].content, [THOUGHT, SAID, AGAIN, SAID]);
});

Deno.test("the vendor's own server is asked for inputs piece by piece, and for thoughts between calls where a model needs it", () => {
  const build = createAnthropicRequest({ host: "api.anthropic.com", model: "m", isVendor: true, seesImages: true });
  const limits = {
    traits: thinkingTraits("claude-opus-4-7"),
    marks: true,
    answerFormat: "schema" as const,
    eagerInput: true,
    refused: { items: new WeakSet<never>() },
    cap: () => 9,
  };
  const eager = (eagerInput: boolean) =>
    build(requestOf({ tools: [READ] }), { ...limits, eagerInput }).tools?.map((tool) =>
      "eager_input_streaming" in tool && tool.eager_input_streaming
    );
  assertEquals([eager(true), eager(false)], [[true], [false]]);
  const version = { "anthropic-version": "2023-06-01" };
  const old = thinkingTraits("claude-haiku-4-5");
  assertEquals(headersOf({}, thinkingTraits("claude-opus-4-7")), version);
  assertEquals(headersOf({}, old), { ...version, "anthropic-beta": "interleaved-thinking-2025-05-14" });
  const headers = { "Anthropic-Beta": "mine", "anthropic-version": "2024-01-01" };
  assertEquals(headersOf({ headers }, old), {
    "anthropic-version": "2024-01-01",
    "anthropic-beta": "mine,interleaved-thinking-2025-05-14",
  });
});
