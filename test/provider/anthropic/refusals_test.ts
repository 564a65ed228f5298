import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { AssistantMessage, Message } from "../../../src/core/message.ts";
import type { ProviderRequest } from "../../../src/core/provider.ts";
import { openLearned } from "../../../src/engine/model/learned.ts";
import { type Answer, collect, leaklessTest, requestOf, serve, sse } from "../wire_server.ts";
import { type Block, connect, event, READ, replyEvents } from "./wire.ts";

const SAID: Block = { type: "text", text: "done" };
const yes = sse(replyEvents([SAID]));

// deno-lint-ignore no-explicit-any -- bodies of the wire format
type Body = any;

/** A refusal as the API writes it. */
function no(status: number, type: string, message: string, headers: Readonly<Record<string, string>> = {}): Answer {
  const body = { type: "error", error: { type, message }, request_id: "req_1" };
  return () => Response.json(body, { status, headers: { ...headers } });
}

const invalid = (message: string): Answer => no(400, "invalid_request_error", message);

const FAILURES: readonly (readonly [string, Answer, string, boolean, number | undefined])[] = [
  ["529", no(529, "overloaded_error", "Overloaded"), "overload", true, undefined],
  ["429 with a wait", no(429, "rate_limit_error", "slow down", { "retry-after": "7" }), "rate_limit", true, 7000],
  ["500", no(500, "api_error", "Internal server error"), "overload", true, undefined],
  ["403", no(403, "permission_error", "not allowed"), "auth", false, undefined],
  ["404", no(404, "not_found_error", "model: claude-x"), "bad_request", false, undefined],
  ["413", no(413, "request_too_large", "Request exceeds the maximum size"), "context_overflow", false, undefined],
  [
    "a prompt that is too long",
    invalid("prompt is too long: 210000 tokens > 200000 maximum"),
    "context_overflow",
    false,
    undefined,
  ],
  ["no credit", invalid("Your credit balance is too low to access the Anthropic API."), "rate_limit", false, undefined],
  ["anything else", invalid("messages.0: odd"), "bad_request", false, undefined],
  [
    "no room for an answer",
    invalid("input length and `max_tokens` exceed context limit: 199900 + 8000 > 200000, decrease input length"),
    "context_overflow",
    false,
    undefined,
  ],
];

leaklessTest("openAnthropic() tells apart what a server refuses", async () => {
  for (const [name, answer, kind, retry, retryAfterMs] of FAILURES) {
    await using server = serve(answer);
    const { message: { failure } } = await collect(connect(server.url), requestOf({ maxTokens: 8000 }));
    assertEquals([failure?.kind, failure?.retry, failure?.retryAfterMs], [kind, retry, retryAfterMs], name);
    assertEquals(server.bodies.length, 1, name);
  }
});

leaklessTest(
  "openAnthropic() ends with what a stream says in its middle: overload, a broken request, a refusal, a full window",
  async () => {
    const begun = replyEvents([SAID]).split("event: message_delta")[0] ?? "";
    const error = (type: string): Answer => sse(begun + event("error", { error: { type, message: "Said" } }));
    const refusal = { type: "refusal", category: "bio", explanation: "It may harm." };
    const cases: readonly (readonly [Answer, string, boolean, string])[] = [
      [error("overloaded_error"), "overload", true, "Said"],
      [error("rate_limit_error"), "rate_limit", true, "Said"],
      [error("invalid_request_error"), "bad_request", false, "Said"],
      [sse(begun), "network", true, "ended in the middle"],
      [sse(`${begun}data: {"type": "mess\n\n${replyEvents([])}`), "network", true, "damaged"],
      [sse(replyEvents([SAID], { stop: "refusal", stopDetails: refusal })), "content_filter", false, "It may harm"],
      [
        sse(replyEvents([SAID], { stop: "model_context_window_exceeded" })),
        "context_overflow",
        false,
        "context window",
      ],
    ];
    for (const [answer, kind, retry, words] of cases) {
      await using server = serve(answer);
      const { message } = await collect(connect(server.url), requestOf());
      assertEquals([message.stopReason, message.failure?.kind, message.failure?.retry], ["error", kind, retry], kind);
      assertStringIncludes(message.failure?.message ?? "", words);
      assertEquals(message.content, [{ type: "text", text: "done" }]);
    }
  },
);

leaklessTest(
  "openAnthropic() asks for fewer tokens where input and output exceed the window, and for all again when it is shorter",
  async () => {
    const full = invalid(
      "input length and `max_tokens` exceed context limit: 188240 + 32000 > 200000, decrease input length or `max_tokens` and try again",
    );
    await using server = serve(full, yes);
    const provider = connect(server.url, { model: "claude-haiku-4-5" });
    const words: Message = { role: "user", content: "hi", timestamp: 1 };
    const long = requestOf({ messages: [words, words, words], maxTokens: 32_000, thinking: "high" });
    await collect(provider, long);
    await collect(provider, long);
    await collect(provider, { ...long, messages: [words] });
    const sizes = server.bodies.map((body: Body) => [body.max_tokens, body.thinking.budget_tokens]);
    const room = 200_000 - 188_240 - 64;
    assertEquals(sizes, [[32_000, 16_000], [room, room / 2], [room, room / 2], [32_000, 16_000]]);
  },
);

const LEARNED: readonly (readonly [string, string, string, Partial<ProviderRequest>, (body: Body) => unknown])[] = [
  [
    "the most of a model",
    "claude-opus-4-7",
    "max_tokens: 128000 > 64000, which is the maximum allowed number of output tokens for claude-opus-4-7",
    { maxTokens: 128_000 },
    (body) => body.max_tokens,
  ],
  [
    "that a model wants a budget",
    "claude-haiku-5-5",
    "adaptive thinking is not supported on this model",
    {},
    (body) => body.thinking.type,
  ],
  [
    "that a model takes no budget",
    "glm-5",
    '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort"',
    {},
    (body) => body.thinking.type,
  ],
  [
    "that a model does not think",
    "glm-5",
    "thinking: Extra inputs are not permitted",
    {},
    (body) => body.thinking ?? null,
  ],
  [
    "that a model has no effort",
    "claude-haiku-5-5",
    "This model does not support the effort parameter.",
    {},
    (body) => body.output_config ?? null,
  ],
  ["a smaller word for effort", "claude-haiku-5-5", "output_config.effort: level 'xhigh' is not supported", {
    thinking: "xhigh",
  }, (body) => body.output_config.effort],
  [
    "that marks are not taken",
    "glm-5",
    "system.0.cache_control: Extra inputs are not permitted",
    {},
    (body) => JSON.stringify(body).includes("cache_control"),
  ],
];

const AFTER: Readonly<Record<string, unknown>> = {
  "the most of a model": 64_000,
  "that a model wants a budget": "enabled",
  "that a model takes no budget": "adaptive",
  "that a model does not think": null,
  "that a model has no effort": null,
  "a smaller word for effort": "max",
  "that marks are not taken": false,
};

leaklessTest("openAnthropic() learns from a refusal, tries once more and remembers it", async () => {
  for (const [name, model, words, request, look] of LEARNED) {
    await using server = serve(invalid(words), yes);
    const provider = connect(server.url, { model });
    const asked = requestOf({ thinking: "high", maxTokens: 32_000, tools: [READ], ...request });
    for (const notices of [1, 0]) {
      const { message, events } = await collect(provider, asked);
      assertEquals(message.stopReason, "stop", name);
      assertEquals(events.filter(({ type }) => type === "notice").length, notices, name);
    }
    assertEquals(server.bodies.length, 3, name);
    assert(look(server.bodies[0]) !== AFTER[name], name);
    assertEquals(server.bodies.slice(1).map(look), [AFTER[name], AFTER[name]], name);
  }
});

/** What is on disk for a model after its lesson: what a later run begins with. */
const KEPT: Readonly<Record<string, unknown>> = {
  "the most of a model": { maxTokens: 64_000 },
  "that a model wants a budget": { thinkingStyle: "budget", mostEffort: "none" },
  "that a model takes no budget": { thinkingStyle: "adaptive" },
  "that a model does not think": { thinkingStyle: "none" },
  "that a model has no effort": { mostEffort: "none" },
  "a smaller word for effort": { mostEffort: "max" },
  "that marks are not taken": { cacheControl: false },
};

leaklessTest(
  "openAnthropic() keeps what it learned for later runs once a request passed, and asks so at once",
  async () => {
    const folder = await Deno.makeTempDir();
    try {
      for (const [name, model, words, request, look] of LEARNED) {
        const asked = requestOf({ thinking: "high", maxTokens: 32_000, tools: [READ], ...request });
        await using server = serve(invalid(words), no(529, "overloaded_error", "Overloaded"), invalid(words), yes);
        const memory = () =>
          openLearned({ baseUrl: server.url, model }, { stateFolder: folder, invocation: { values: {}, words: [] } });
        await collect(connect(server.url, { model, memory: memory() }), asked);
        // It was not taken yet.
        assertEquals(memory().recall(), {}, name);
        await collect(connect(server.url, { model, memory: memory() }), asked);
        assertEquals(memory().recall(), KEPT[name], name);
        const { message, events } = await collect(connect(server.url, { model, memory: memory() }), asked);
        assertEquals([message.stopReason, events.some(({ type }) => type === "notice")], ["stop", false], name);
        assertEquals([server.bodies.length, look(server.bodies[4])], [5, AFTER[name]], name);
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
);

leaklessTest("openAnthropic() lets settings go before what earlier runs learned", async () => {
  await using server = serve(yes);
  const recalled = { cacheControl: false, thinkingStyle: "none", maxTokens: 300 } as const;
  const memory = { recall: () => recalled, remember: () => {}, warnings: () => [] };
  const capabilities = { cacheControl: true, thinkingStyle: "budget", maxTokens: 9000 } as const;
  const asked = requestOf({ thinking: "high", maxTokens: 9000, tools: [READ] });
  await collect(connect(server.url, { model: "claude-haiku-4-5", memory, capabilities }), asked);
  const [body] = server.bodies as Body[];
  assertEquals([body.max_tokens, body.thinking.type], [9000, "enabled"]);
  assert(JSON.stringify(body).includes("cache_control"));
});

leaklessTest("openAnthropic() takes no number for its output limit that no model has", async () => {
  await using server = serve(invalid("max_tokens: 8000 > 1, which is the maximum"), yes);
  const provider = connect(server.url, { model: "claude-haiku-4-5" });
  const { message } = await collect(provider, requestOf({ maxTokens: 8000 }));
  assertEquals([message.failure?.kind, server.bodies.length], ["bad_request", 1]);
});

leaklessTest(
  "openAnthropic() leaves out reasoning that the server does not know as its own, and keeps what comes later",
  async () => {
    const thought = (signature: string): Block => ({ type: "thinking", thinking: "hm", signature });
    const call: Block = { type: "tool_use", id: "toolu_1", name: "read", input: { path: "a" } };
    const refusal = invalid("messages.1.content.0: Invalid `signature` in `thinking` block");
    await using server = serve(
      sse(replyEvents([thought("OLD"), SAID])),
      refusal,
      sse(replyEvents([thought("NEW"), call])),
      yes,
    );
    const provider = connect(server.url);
    const messages: Message[] = [{ role: "user", content: "hi", timestamp: 1 }];
    const ask = async (): Promise<AssistantMessage> =>
      (await collect(provider, requestOf({ messages, tools: [READ] }))).message;
    for (let turn = 0; turn < 2; turn++) {
      messages.push(await ask());
      messages.push({ role: "user", content: "on", timestamp: 1 });
    }
    await ask();
    const signatures = server.bodies.map((body: Body) => JSON.stringify(body).match(/OLD|NEW/g) ?? []);
    assertEquals(signatures, [[], ["OLD"], [], ["NEW"]]);
  },
);

leaklessTest("openAnthropic() asks no second time for what it cannot change", async () => {
  await using server = serve(invalid("thinking: adaptive thinking is not supported on this model"));
  const { message } = await collect(connect(server.url), requestOf({ thinking: "high", maxTokens: 9000 }));
  // Adaptive, then a budget, then none; each once.
  assertEquals(server.bodies.map((body: Body) => body.thinking?.type), ["adaptive", "enabled", undefined]);
  assertEquals(message.failure?.kind, "bad_request");
});

leaklessTest("openAnthropic() leaves out a picture that the server refused, and goes on", async () => {
  const refusal = invalid("messages.0.content.1.image.source.base64: image exceeds 5 MB maximum");
  await using server = serve(refusal, yes);
  const provider = connect(server.url);
  const picture = (data: string): Message => ({
    role: "user",
    content: [{ type: "text", text: "look" }, { type: "image", data, mimeType: "image/png" }],
    timestamp: 1,
  });
  const messages = [picture("BAD")];
  await collect(provider, requestOf({ messages }));
  const { message } = await collect(provider, requestOf({ messages: [...messages, picture("GOOD")] }));
  assertEquals(message.stopReason, "stop");
  assertEquals(server.texts.map((text) => text.match(/BAD|GOOD|the server refused it/g)), [["BAD"], [
    "the server refused it",
  ], ["the server refused it", "GOOD"]]);
});
