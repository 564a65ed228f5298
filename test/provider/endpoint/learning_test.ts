// Servers on this machine that refuse what real ones refuse, with the words of the real ones.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { AssistantMessage, Message, RequestMessage } from "../../../src/core/message.ts";
import type { ProviderRequest } from "../../../src/core/provider.ts";
import type { CapabilityMemory, SomeCapabilities } from "../../../src/provider/capabilities/capabilities.ts";
import type { Connection } from "../../../src/provider/endpoint/connection.ts";
import { openChat } from "../../../src/provider/openai/chat.ts";
import { openResponses } from "../../../src/provider/openai/responses.ts";
import { readFixture, TOOLS } from "../fixture_files.ts";
import { type Answer, collect, leaklessTest, requestOf, saying, serve, sse } from "../wire_server.ts";

// deno-lint-ignore no-explicit-any -- tests look at fields of the wire format
type Body = any;

const user = (content: Extract<Message, { role: "user" }>["content"]): Message => ({
  role: "user",
  content,
  timestamp: 1,
});
const image = { type: "image", data: "QQ==", mimeType: "image/png" } as const;
const assistant = (content: AssistantMessage["content"]): AssistantMessage => ({
  role: "assistant",
  content,
  provider: "openai",
  model: "other",
  stopReason: "stop",
  timestamp: 1,
});
const call = { type: "toolCall", id: "c1", name: "ls", arguments: {} } as const;
const result = (content: Extract<Message, { role: "toolResult" }>["content"]): Message => ({
  role: "toolResult",
  toolCallId: "c1",
  toolName: "ls",
  content,
  isError: false,
  timestamp: 1,
});
const called: readonly RequestMessage[] = [user("x"), assistant([call]), result([{ type: "text", text: "r" }])];

/** What one run keeps for the next one. */
function memory(): CapabilityMemory & { readonly learned: SomeCapabilities } {
  let learned: SomeCapabilities = {};
  return {
    get learned() {
      return learned;
    },
    recall: () => learned,
    remember: (change) => void (learned = { ...learned, ...change }),
    warnings: () => [],
  };
}

/** A server that refuses bodies for as long as `isWrong` says so. */
function strict(isWrong: (body: Body) => boolean, message: string, status = 400): Answer {
  return (request, body) =>
    isWrong(body) ? Response.json({ error: { message } }, { status }) : saying("ok")(request, body);
}

const roles = ({ messages }: Body): string => messages.map((message: Body) => message.role).join(" ");

/** The template of Mistral's models, as llama.cpp and vLLM run it. */
function mistralTemplate(body: Body): boolean {
  const [first, ...rest] = body.messages as readonly Body[];
  const counted = (first.role === "system" ? rest : [first, ...rest])
    .filter((message: Body) => message.role !== "tool" && message.tool_calls === undefined);
  return counted.some((message: Body, at: number) => (message.role === "user") !== (at % 2 === 0));
}

const CASES: readonly {
  readonly name: string;
  readonly isWrong: (body: Body) => boolean;
  readonly said: string;
  readonly status?: number;
  readonly request?: Partial<ProviderRequest>;
  readonly more?: Partial<Connection>;
  readonly learned: SomeCapabilities;
  /** Of the body that is taken. */
  readonly taken: (body: Body) => unknown;
  readonly expect: unknown;
  readonly refusals?: number;
}[] = [
  {
    name: "stream_options",
    isWrong: (body) => "stream_options" in body,
    said: "stream_options: Extra inputs are not permitted",
    status: 422,
    learned: { streamOptions: false },
    taken: (body) => "stream_options" in body,
    expect: false,
  },
  {
    name: "reasoning_effort of a model that does not think",
    isWrong: (body) => "reasoning_effort" in body,
    said: "Unrecognized request argument supplied: reasoning_effort",
    request: { thinking: "high" },
    learned: { effortStyle: "none" },
    taken: (body) => "reasoning_effort" in body,
    expect: false,
  },
  {
    name: "a word of effort that is not among those of the server",
    isWrong: (body) => !["low", "high"].includes(body.reasoning_effort),
    said: "reasoning_effort: unsupported value 'medium'. Supported values are: 'low' and 'high'.",
    request: { thinking: "medium" },
    learned: { efforts: { minimal: "low", low: "low", medium: "low", high: "high", xhigh: "high" } },
    taken: (body) => body.reasoning_effort,
    expect: "low",
  },
  {
    name: "max_tokens where the other name is known",
    isWrong: (body) => "max_tokens" in body,
    said: "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    request: { maxTokens: 9 },
    learned: { maxTokensField: "max_completion_tokens" },
    taken: (body) => body.max_completion_tokens,
    expect: 9,
  },
  {
    name: "an output limit that is too high",
    isWrong: (body) => body.max_tokens > 8192,
    said: "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
    request: { maxTokens: 16_384 },
    learned: { maxTokens: 8192 },
    taken: (body) => body.max_tokens,
    expect: 8192,
  },
  {
    name: "neighbours of one role, as a template in llama.cpp (a status of 500)",
    isWrong: mistralTemplate,
    said: "Error: Jinja Exception: After the optional system message, conversation roles must alternate user and " +
      "assistant roles except for tool calls and results.",
    status: 500,
    request: { messages: [user("Current time: now"), user("hi")] },
    learned: { alternation: true },
    taken: (body) => body.messages.slice(1),
    expect: [{ role: "user", content: "Current time: now\n\nhi" }],
  },
  {
    name: "neighbours of one role, and then a user after a tool's result",
    isWrong: mistralTemplate,
    said: "After the optional system message, conversation roles must alternate user/assistant/user/assistant/...",
    request: { messages: [user("a"), ...called, user("b")] },
    learned: { alternation: true, userAfterTool: false },
    taken: roles,
    expect: "system user assistant tool assistant user",
    refusals: 2,
  },
  {
    name: "a user after a tool's result, as Mistral says it",
    isWrong: (body) => / tool user/.test(roles(body)),
    said: "Unexpected role 'user' after role 'tool'",
    request: { messages: [...called, user("b")] },
    learned: { userAfterTool: false },
    taken: roles,
    expect: "system user assistant tool assistant user",
  },
  {
    name: "a second system message, as Qwen's template",
    isWrong: (body) => /.system/.test(roles(body)),
    said: "System message must be at the beginning.",
    request: { messages: [{ role: "system", content: "Summary" }, user("b")] },
    learned: { systemMessages: "first" },
    taken: (body) => body.messages,
    expect: [{ role: "system", content: "Be good.\n\nSummary" }, { role: "user", content: "b" }],
  },
  {
    name: "any system message, as Gemma's template",
    isWrong: (body) => /system/.test(roles(body)),
    said: "System role not supported",
    learned: { systemMessages: "none" },
    taken: (body) => body.messages,
    expect: [{ role: "user", content: "Be good.\n\nhi" }],
  },
  {
    name: "the role developer",
    isWrong: (body) => /developer/.test(roles(body)),
    said: "messages[0].role: unknown variant `developer`, expected one of `system`, `user`, `assistant`, `tool`",
    more: { memory: { recall: () => ({ developerRole: true }), remember: () => {}, warnings: () => [] } },
    learned: {},
    taken: roles,
    expect: "system user",
  },
  {
    name: "null as the content of calls",
    isWrong: (body) => body.messages.some((message: Body) => message.content === null),
    said: "messages[2].content: expected a string, got null. Content is required",
    request: { messages: called },
    learned: { nullContent: false },
    taken: (body) => body.messages[2].content,
    expect: "",
  },
  {
    name: "pictures, as a server with a text-only model",
    isWrong: (body) => JSON.stringify(body.messages).includes("image_url"),
    said:
      "Failed to deserialize the JSON body into the target type: messages[1]: unknown variant `image_url`, expected `text`",
    request: { messages: [user([{ type: "text", text: "look" }, image])] },
    learned: { images: false },
    taken: (body) => body.messages[1].content,
    expect: "look\n(image omitted: the model takes none)",
  },
  {
    name: "pictures in results, as llama.cpp without a projector (a status of 500)",
    isWrong: (body) => JSON.stringify(body.messages).includes("image_url"),
    said: "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
    status: 500,
    request: { messages: [user("x"), assistant([call]), result([image])] },
    learned: { images: false },
    taken: (body) => body.messages.slice(3),
    expect: [{ role: "tool", tool_call_id: "c1", content: "(image omitted: the model takes none)" }],
  },
  {
    name: "calls without their reasoning, as DeepSeek while it thinks, also of a session that began elsewhere",
    isWrong: (body) => body.messages.some((message: Body) => message.tool_calls && !message.reasoning_content),
    said: "The `reasoning_content` in the thinking mode must be passed back to the API.",
    request: { messages: called },
    learned: { reasoningField: "reasoning_content", reasoningEcho: "calls" },
    taken: (body) => body.messages[2].reasoning_content,
    expect: " ",
  },
  {
    name: "messages without their reasoning, as Kimi where all is kept",
    isWrong: (body) =>
      body.messages.some((message: Body) => message.role === "assistant" && !message.reasoning_content),
    said:
      "preserved thinking (thinking.keep=all) requires reasoning_content on every assistant message, but assistant " +
      "message at index 1 is missing reasoning_content",
    request: { messages: [user("x"), assistant([{ type: "text", text: "t" }]), user("y")] },
    learned: { reasoningField: "reasoning_content", reasoningEcho: "always" },
    taken: (body) => body.messages[2].reasoning_content,
    expect: " ",
  },
  {
    name: "reasoning that came back, as Cerebras",
    isWrong: (body) => body.messages.some((message: Body) => "reasoning_content" in message),
    said: "messages.2.assistant.reasoning_content: property 'messages.2.assistant.reasoning_content' is unsupported",
    request: { messages: called },
    more: {
      memory: { recall: () => ({ reasoningField: "reasoning_content" }), remember: () => {}, warnings: () => [] },
    },
    learned: {},
    taken: (body) => "reasoning_content" in body.messages[2],
    expect: false,
  },
  {
    name: "long ids of calls, as Mistral",
    isWrong: (body) =>
      body.messages.some((message: Body) => message.tool_calls?.[0].id.length !== 9 && message.tool_calls),
    said: "Tool call id was c1 but must be a-z, A-Z, 0-9, with a length of 9.",
    request: { messages: called },
    learned: { callIds: "mistral9" },
    taken: (body) => body.messages[2].tool_calls[0].id === body.messages[3].tool_call_id,
    expect: true,
  },
];

for (const { name, isWrong, said, status, request, more, learned, taken, expect, refusals = 1 } of CASES) {
  leaklessTest(
    `openChat() learns from a refusal of ${name}, says so once and asks the next run's way at once`,
    async () => {
      await using server = serve(strict(isWrong, said, status));
      const kept = memory();
      const connection = { baseUrl: server.url, apiKey: "k", model: "m", memory: kept, ...more };
      const first = openChat(connection);
      const { events, message } = await collect(first, requestOf(request));
      assertEquals(message.stopReason, "stop", message.errorMessage);
      assertEquals(server.bodies.length, refusals + 1);
      assertEquals<unknown>(taken(server.bodies.at(-1)), expect);
      const notices = events.filter(({ type }) => type === "notice");
      assertEquals(notices.length, refusals);
      assertStringIncludes(JSON.stringify(notices), `refused a request to m: from now on`);
      assertEquals(kept.learned, learned);
      if (more) return;

      const later = [await collect(first, requestOf(request)), await collect(openChat(connection), requestOf(request))];
      assertEquals(server.bodies.length, refusals + 3);
      for (const { events } of later) assertEquals(events.filter(({ type }) => type === "notice"), []);
      for (const body of server.bodies.slice(refusals)) assertEquals<unknown>(taken(body), expect);
    },
  );
}

leaklessTest("what settings say goes before what was learned and what a refusal says", async () => {
  await using server = serve(strict((body) => "stream_options" in body, "unknown field stream_options"));
  const kept = memory();
  const connection = {
    baseUrl: server.url,
    apiKey: "k",
    model: "m",
    memory: kept,
    capabilities: { streamOptions: true },
  };
  const { message } = await collect(openChat(connection), requestOf());
  assertEquals([message.failure?.kind, server.bodies.length, kept.learned], ["bad_request", 1, {}]);
});

leaklessTest("a lesson that did not help is not remembered", async () => {
  await using server = serve(strict(() => true, "stream_options is unknown"));
  const kept = memory();
  const provider = openChat({ baseUrl: server.url, apiKey: "k", model: "m", memory: kept });
  const { events } = await collect(provider, requestOf());
  assertEquals([server.bodies.length, kept.learned], [2, {}]);
  assertEquals(events.filter(({ type }) => type === "notice"), []);
  await collect(provider, requestOf());
  assertEquals("stream_options" in (server.bodies[2] ?? {}), true);
});

leaklessTest(
  "a picture that is at fault itself is left out, and others go out as before",
  async () => {
    const isBad = (body: Body): boolean => JSON.stringify(body.messages).includes("base64,QQ==");
    await using server = serve(strict(isBad, "Invalid image: could not process the image data"));
    const kept = memory();
    const provider = openChat({ baseUrl: server.url, apiKey: "k", model: "m", memory: kept });
    const first = user([image]);
    const { events, message } = await collect(provider, requestOf({ messages: [first] }));
    assertEquals([message.stopReason, kept.learned], ["stop", {}]);
    assertEquals(events.filter(({ type }) => type === "notice").length, 1);
    const good = { ...image, data: "Qg==" };
    await collect(provider, requestOf({ messages: [first, user([{ type: "text", text: "look" }, good])] }));
    assertEquals(server.bodies.length, 3);
    assertEquals((server.bodies[2] as Body).messages.slice(1), [
      { role: "user", content: "(image omitted: the server refused it)" },
      {
        role: "user",
        content: [{ type: "text", text: "look" }, {
          type: "image_url",
          image_url: { url: "data:image/png;base64,Qg==" },
        }],
      },
    ]);
  },
);

leaklessTest("what settings say of a model's longest reply is sent as it stands", async () => {
  await using server = serve(saying("ok"));
  const capabilities = { contextWindow: 8000, maxTokens: 6000 };
  const provider = openChat({ baseUrl: server.url, apiKey: "k", model: "m", capabilities });
  await collect(provider, requestOf({ maxTokens: 6000 }));
  assertEquals(server.bodies[0]?.max_tokens, 6000);
});

leaklessTest("what a refusal says back of the request teaches nothing", async () => {
  const detail = [{
    type: "missing",
    loc: ["body", "model"],
    msg: "Field required",
    input: "stream_options image_url",
  }];
  await using server = serve(() => Response.json({ detail }, { status: 422 }));
  const { message } = await collect(openChat({ baseUrl: server.url, apiKey: "k", model: "m" }), requestOf());
  assertEquals([message.failure?.kind, server.bodies.length], ["bad_request", 1]);
});

leaklessTest("a number that no model has for its output limit teaches nothing", async () => {
  for (const most of [1, 16, 255]) {
    const message = `Invalid max_tokens value, the valid range of max_tokens is [1, ${most}]`;
    await using server = serve(() => Response.json({ error: { message } }, { status: 400 }));
    const kept: unknown[] = [];
    const memory = { recall: () => ({}), remember: (change: unknown) => void kept.push(change), warnings: () => [] };
    const provider = openChat({ baseUrl: server.url, apiKey: "k", model: "m", memory });
    const failed = await collect(provider, requestOf({ maxTokens: 16_384 }));
    assertEquals([failed.message.failure?.kind, kept], ["bad_request", []]);
    assertEquals(server.bodies.filter((body: Body) => body.max_tokens === most), []);
  }
});

leaklessTest(
  "a prompt and a reply that do not fit together: the reply gets what is left, and the window is known",
  async () => {
    const said = "This model's maximum context length is 8192 tokens. However, you requested 20480 tokens " +
      "(4096 in the messages, 16384 in the completion). Please reduce the length of the messages or completion.";
    await using server = serve(strict((body) => body.max_tokens > 4096, said));
    const kept = memory();
    const provider = openChat({ baseUrl: server.url, apiKey: "k", model: "m", memory: kept });
    const { message } = await collect(provider, requestOf({ maxTokens: 16_384 }));
    assertEquals([message.stopReason, kept.learned], ["stop", { contextWindow: 8192 }]);
    assertEquals(server.bodies.map((body) => body.max_tokens), [16_384, 4080]);
    await collect(provider, requestOf({ maxTokens: 16_384 }));
    assertEquals(server.bodies[2]?.max_tokens, 4096);
  },
);

leaklessTest("a prompt that is too long is no lesson but an overflow, whose window is remembered", async () => {
  const body = {
    error: {
      message: "the request exceeds the available context size",
      type: "exceed_context_size_error",
      n_ctx: 8192,
    },
  };
  await using server = serve(() => Response.json(body, { status: 400 }));
  const kept = memory();
  const { message } = await collect(
    openChat({ baseUrl: server.url, apiKey: "k", model: "m", memory: kept }),
    requestOf(),
  );
  assertEquals([message.failure?.kind, message.failure?.contextWindow, kept.learned, server.bodies.length], [
    "context_overflow",
    8192,
    { contextWindow: 8192 },
    1,
  ]);
});

leaklessTest("llama.cpp is asked for its window and whether it sees, once, and nobody else is", async () => {
  const paths: string[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    const { pathname } = new URL(request.url);
    paths.push(pathname);
    if (pathname === "/props") {
      return Response.json({ default_generation_settings: { n_ctx: 4096 }, modalities: { vision: false } });
    }
    const reply = await saying("ok")(request, {});
    if (paths[0] === "/other") return reply;
    return new Response(reply.body, { headers: { ...Object.fromEntries(reply.headers), server: "llama.cpp" } });
  });
  const kept = memory();
  const provider = openChat({
    baseUrl: `http://127.0.0.1:${server.addr.port}/v1`,
    apiKey: "",
    model: "m",
    memory: kept,
  });
  await collect(provider, requestOf());
  await collect(provider, requestOf({ messages: [user([image])] }));
  await server.shutdown();
  assertEquals(kept.learned, { contextWindow: 4096, images: false });
  assertEquals(paths.toSorted(), ["/props", "/v1/chat/completions", "/v1/chat/completions"]);
});

const RESPONSE = `data: ${
  JSON.stringify({
    type: "response.completed",
    response: { output: [{ type: "message", content: [{ type: "output_text", text: "ok" }] }] },
  })
}\n\n`;

for (
  const said of [
    "Function tools with reasoning_effort are not supported for gpt-5.5 in /v1/chat/completions. To use function tools, " +
    "use /v1/responses or set reasoning_effort to 'none'.",
    "This model is only supported in v1/responses and not in v1/chat/completions.",
  ]
) {
  leaklessTest(`a model that is served elsewhere is asked there: ${said.slice(0, 30)}`, async () => {
    const paths: string[] = [];
    await using server = serve(async (request, body) => {
      paths.push(new URL(request.url).pathname);
      if (paths.at(-1) === "/v1/responses") return await sse(RESPONSE)(request, body);
      return Response.json({ error: { message: said } }, { status: 400 });
    });
    const kept = memory();
    const connection = { baseUrl: server.url, apiKey: "k", model: "m", memory: kept };
    const { message } = await collect(openChat(connection), requestOf({ tools: TOOLS, thinking: "low" }));
    assertEquals(message.content, [{ type: "text", text: "ok" }]);
    await collect(openChat(connection), requestOf());
    assertEquals(paths, ["/v1/chat/completions", "/v1/responses", "/v1/responses"]);
    assertEquals(kept.learned, { api: "responses" });
  });
}

leaklessTest("openResponses() leaves out include, the cache key and strict where they are refused", async () => {
  const fields = ["include", "prompt_cache_key"];
  await using server = serve((request, body) => {
    const refused = fields.find((field) => field in body) ??
      (JSON.stringify(body.tools).includes("strict") ? "tools.0.strict" : undefined);
    return refused
      ? Response.json({ error: { message: `Unknown parameter: '${refused}'.`, param: refused } }, { status: 400 })
      : sse(RESPONSE)(request, body);
  });
  const kept = memory();
  kept.remember({ cacheKey: true, encryptedReasoning: true });
  const provider = openResponses({ baseUrl: server.url, apiKey: "k", model: "m", memory: kept });
  const { message } = await collect(provider, requestOf({ tools: TOOLS, cacheKey: "c" }));
  assert(message.stopReason === "stop", message.errorMessage);
  assertEquals(kept.learned, { cacheKey: false, encryptedReasoning: false, strict: false });
  assertEquals(server.bodies.length, 4);
});

const { cases } = JSON.parse(readFixture("dialects/http-errors.json")) as {
  readonly cases: readonly {
    readonly name: string;
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    readonly expect: { readonly kind: string; readonly retry: boolean };
  }[];
};
for (const { name, status, headers, body, expect } of cases) {
  leaklessTest(`a request with everything in it ends with the failure of ${name}, after few attempts`, async () => {
    await using server = serve(() => new Response(body, { status, headers }));
    const kept = memory();
    const provider = openChat({
      baseUrl: server.url,
      apiKey: "k",
      model: "m",
      memory: kept,
      known: { reasoningField: "reasoning_content", cacheKey: true, developerRole: true, resultNames: true },
    });
    const messages = [...called, user([{ type: "text", text: "look" }, image])];
    const request = requestOf({ messages, tools: TOOLS, thinking: "high", maxTokens: 100_000, cacheKey: "c" });
    const { message, events } = await collect(provider, request);
    assertEquals([message.failure?.kind, message.failure?.retry], [expect.kind, expect.retry]);
    assert(server.bodies.length <= 2, `${server.bodies.length} requests`);
    assertEquals(events.filter(({ type }) => type === "notice"), []);
    // What is kept of a refusal is a window alone.
    assertEquals(Object.keys(kept.learned).filter((key) => key !== "contextWindow"), []);
  });
}

leaklessTest("Cerebras gets no reasoning once it refused it, in the words of the fixture", async () => {
  const refusal = cases.find(({ name }) => name === "cerebras-unsupported-field");
  await using server = serve((request, body) =>
    JSON.stringify(body).includes("reasoning_content")
      ? new Response(refusal?.body ?? "", { status: refusal?.status ?? 0, headers: refusal?.headers ?? {} })
      : saying("ok")(request, body)
  );
  const known = { reasoningField: "reasoning_content" } as const;
  const provider = openChat({ baseUrl: server.url, apiKey: "k", model: "m", known });
  const { message } = await collect(provider, requestOf({ messages: called }));
  assertEquals([message.stopReason, server.bodies.length], ["stop", 2]);
});
