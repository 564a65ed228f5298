import { assert, assertEquals, assertLess, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { toolCallsOf } from "../../src/core/message.ts";
import { openChat } from "../../src/provider/openai/chat.ts";
import type { Connection } from "../../src/provider/endpoint/connection.ts";
import { TOOLS } from "./fixture_files.ts";
import { chunk, collect, leaklessTest, requestOf, saying, serve, sse } from "./wire_server.ts";

const KEY = "test-key-0123456789";

function connection(baseUrl: string, more: Partial<Connection> = {}): Connection {
  return { baseUrl, apiKey: KEY, apiKeyEnv: "MY_KEY", model: "m", now: () => 5, newId: () => "made-up", ...more };
}

function json(status: number, body: unknown, headers: Record<string, string> = {}): () => Response {
  return () => Response.json(body, { status, headers });
}

leaklessTest("openChat() reports 401 with the variable and without the key", async () => {
  await using server = serve(
    json(401, { error: { message: `Incorrect API key provided: ${KEY}`, code: "invalid_api_key" } }),
  );
  const { message } = await collect(openChat(connection(server.url)), requestOf());
  assertEquals([message.stopReason, message.failure?.kind, message.failure?.retry], ["error", "auth", false]);
  assertMatch(message.failure?.message ?? "", /127\.0\.0\.1:\d+ answered 401: ".*\[key\]".* MY_KEY.*--api-key-env/);
  assertNotMatch(JSON.stringify(message), new RegExp(KEY));
});

leaklessTest("openChat() reports 429 with the wait that the server asked for, and asks only once", async () => {
  await using server = serve(
    json(429, { error: { message: "Slow down", code: "rate_limit_exceeded" } }, { "retry-after": "3" }),
  );
  const { message } = await collect(openChat(connection(server.url)), requestOf());
  const { kind, retry, retryAfterMs, status } = message.failure ?? {};
  assertEquals<unknown>({ kind, retry, retryAfterMs, status }, {
    kind: "rate_limit",
    retry: true,
    retryAfterMs: 3000,
    status: 429,
  });
  assertEquals(server.bodies.length, 1);
});

leaklessTest("openChat() reports 500 as something to try again", async () => {
  await using server = serve(() => new Response("<html>bad</html>", { status: 500 }));
  const { message } = await collect(openChat(connection(server.url)), requestOf());
  assertEquals([message.failure?.kind, message.failure?.retry, message.failure?.status], ["overload", true, 500]);
  assertNotMatch(message.failure?.message ?? "", /html/);
});

leaklessTest("openChat() keeps the fields of bodies that have no error wrapper", async () => {
  await using server = serve(
    json(400, { object: "error", message: "This model's maximum context length is 10 tokens.", code: 400 }),
  );
  assertEquals(
    (await collect(openChat(connection(server.url)), requestOf())).message.failure?.kind,
    "context_overflow",
  );
});

leaklessTest("openChat() says what to do when nothing listens", async () => {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = listener.addr;
  listener.close();
  const { message } = await collect(openChat(connection(`http://127.0.0.1:${port}/v1`)), requestOf());
  assertEquals([message.stopReason, message.failure?.kind, message.failure?.retry], ["error", "network", true]);
  assertEquals(
    message.errorMessage,
    `Cannot reach 127.0.0.1:${port}: nothing listens there (connection refused). Is the server running? Check --base-url.`,
  );
});

leaklessTest("openChat() tells a web page from an API", async () => {
  await using server = serve(() => new Response("<!doctype html><p>Hi", { headers: { "content-type": "text/html" } }));
  const { message } = await collect(openChat(connection(server.url)), requestOf());
  assertEquals([message.failure?.kind, message.failure?.retry], ["bad_request", false]);
  assertStringIncludes(message.failure?.message ?? "", "web page");
});

leaklessTest("openChat() refuses an address that is none", async () => {
  const { message } = await collect(openChat(connection("not a url")), requestOf());
  assertEquals([message.failure?.kind, message.failure?.retry], ["bad_request", false]);
  assertStringIncludes(message.failure?.message ?? "", "--base-url");
});

leaklessTest("openChat() counts a stream that stops in the middle as a failure and keeps its text", async () => {
  const call = { index: 0, id: "c1", function: { name: "ls", arguments: "{}" } };
  await using server = serve(sse(chunk({ content: "Half" }) + chunk({ tool_calls: [call] })));
  const { message } = await collect(openChat(connection(server.url)), requestOf({ tools: TOOLS }));
  assertEquals([message.stopReason, message.failure?.kind, message.failure?.retry], ["error", "network", true]);
  assertEquals(message.content, [{ type: "text", text: "Half" }]);
});

leaklessTest("openChat() counts a connection that breaks as a failure and keeps its text", async () => {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const breaking = (async () => {
    using socket = await listener.accept();
    await socket.read(new Uint8Array(65_536));
    const event = chunk({ content: "Half" });
    const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    await socket.write(new TextEncoder().encode(`${head}${event.length.toString(16)}\r\n${event}\r\n`));
  })();
  const { message } = await collect(openChat(connection(`http://127.0.0.1:${listener.addr.port}/v1`)), requestOf());
  await breaking;
  listener.close();
  assertEquals([message.stopReason, message.failure?.kind, message.failure?.retry], ["error", "network", true]);
  assertEquals(message.content, [{ type: "text", text: "Half" }]);
});

leaklessTest("openChat() ends a stalled stream after its limit and keeps the text (R435)", async () => {
  await using server = serve(sse(chunk({ content: "Wait" }), 100_000, true));
  const started = performance.now();
  const { message } = await collect(openChat(connection(server.url, { stallMs: 1000 })), requestOf());
  assertLess(performance.now() - started, 30_000);
  assertEquals([message.stopReason, message.failure?.kind, message.failure?.retry], ["error", "network", true]);
  assertEquals(message.content, [{ type: "text", text: "Wait" }]);
});

leaklessTest("openChat() ends a request whose answer never begins (R435)", async () => {
  let release: (response: Response) => void = () => {};
  await using server = serve(() => new Promise((resolve) => release = resolve));
  const { message } = await collect(openChat(connection(server.url, { stallMs: 1000 })), requestOf());
  release(new Response(""));
  assertEquals([message.stopReason, message.failure?.kind], ["error", "network"]);
});

/** A body that sends only comments, every 20 ms, until it is cancelled. */
function comments(): Response {
  let timer: ReturnType<typeof setInterval> | undefined;
  const body = new ReadableStream({
    start: (controller) => {
      timer = setInterval(() => controller.enqueue(new TextEncoder().encode(": keep-alive\n\n")), 20);
    },
    cancel: () => clearInterval(timer),
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

leaklessTest("openChat() takes comments for life, but not for progress", async () => {
  await using server = serve(comments);
  const started = performance.now();
  const { message } = await collect(
    openChat(connection(server.url, { stallMs: 1500, noProgressMs: 3000 })),
    requestOf(),
  );
  assert(performance.now() - started >= 2990, "comments must keep the connection alive past stallMs");
  assertEquals([message.stopReason, message.failure?.kind], ["error", "network"]);
  assertStringIncludes(message.failure?.message ?? "", "no further");
});

leaklessTest("openChat() takes a finished reply although the connection stays open", async () => {
  await using server = serve(sse(chunk({ content: "Done" }) + chunk({}, "stop"), 100_000, true));
  const { message } = await collect(openChat(connection(server.url, { stallMs: 1000 })), requestOf());
  assertEquals([message.stopReason, message.content], ["stop", [{ type: "text", text: "Done" }]]);
});

leaklessTest("openChat() ends soon after an abort and keeps the text (R243)", async () => {
  await using server = serve(sse(chunk({ content: "Par" }) + chunk({ content: "tial" }), 100_000, true));
  const abort = new AbortController();
  const started = performance.now();
  const { message } = await collect(openChat(connection(server.url)), requestOf(), abort.signal, (event) => {
    if (event.type === "text_delta" && event.delta.endsWith("tial")) abort.abort();
  });
  assertLess(performance.now() - started, 30_000);
  assertEquals([message.stopReason, message.content, message.failure], [
    "aborted",
    [{ type: "text", text: "Partial" }],
    undefined,
  ]);
});

leaklessTest("openChat() sends nothing when it is aborted before the start", async () => {
  await using server = serve(saying("no"));
  const { message } = await collect(openChat(connection(server.url)), requestOf(), AbortSignal.abort());
  assertEquals([message.stopReason, message.content, server.bodies.length], ["aborted", [], 0]);
});

leaklessTest("openChat() leaves nothing open when its reader stops early", async () => {
  await using server = serve(sse(chunk({ content: "one" }) + chunk({ content: "two" }), 100_000, true));
  for await (const event of openChat(connection(server.url)).stream(requestOf(), new AbortController().signal)) {
    assertEquals(event.type, "text_delta");
    break;
  }
});

leaklessTest("openChat() fails an empty reply instead of calling it an answer", async () => {
  await using server = serve(sse(`${chunk({ role: "assistant", content: "" })}${chunk({}, "stop")}data: [DONE]\n\n`));
  const { message } = await collect(openChat(connection(server.url)), requestOf());
  assertEquals([message.stopReason, message.failure?.kind, message.failure?.retry], ["error", "overload", true]);
});

leaklessTest("openChat() refuses malformed arguments, tells the model why, and keeps the raw text", async () => {
  const call = { index: 0, id: "c1", function: { name: "bash", arguments: '{"command":"make install"' } };
  await using server = serve(sse(`${chunk({ tool_calls: [call] })}${chunk({}, "stop")}data: [DONE]\n\n`));
  const { message } = await collect(openChat(connection(server.url)), requestOf({ tools: TOOLS }));
  assertEquals(message.stopReason, "toolUse");
  assertEquals(toolCallsOf(message), [{
    type: "toolCall",
    id: "c1",
    name: "bash",
    arguments: {},
    refused: {
      reason: "Cannot run bash: the arguments end before their last bracket. The call was cut off and did not run. " +
        "Send it again in full; split long content into several smaller calls.",
      raw: '{"command":"make install"',
    },
  }]);
});

leaklessTest("openChat() fails half an event with another one glued to it, without a crash", async () => {
  await using server = serve(sse(`${chunk({ content: "a" })}data: {"choices":[{"del${chunk({ content: "b" })}`));
  const { message } = await collect(openChat(connection(server.url)), requestOf());
  assertEquals([message.stopReason, message.failure?.kind], ["error", "network"]);
});

leaklessTest("openChat() believes a failure that is told after the finish", async () => {
  await using server = serve(sse(chunk({ content: "a" }, "stop") + chunk({}, "error")));
  const { message } = await collect(openChat(connection(server.url)), requestOf());
  assertEquals([message.stopReason, message.failure?.kind, message.failure?.retry], ["error", "overload", true]);
});

leaklessTest("openChat() calls a finish of the content filter by its name", async () => {
  await using server = serve(sse(chunk({ content: "a" }) + chunk({}, "content_filter")));
  const { message } = await collect(openChat(connection(server.url)), requestOf());
  assertEquals([message.failure?.kind, message.failure?.retry], ["content_filter", false]);
});

leaklessTest("openChat() tells about a window that the server never named", async () => {
  const usage = (prompt: number, completion: number) => ({
    usage: { prompt_tokens: prompt, completion_tokens: completion },
  });
  await using server = serve(
    sse(chunk({ content: "" }, "length", usage(1000, 0))),
    sse(chunk({ content: "cut" }, "length", usage(4000, 96))),
  );
  const provider = openChat(connection(server.url, { contextWindow: 1000 }));
  assertEquals((await collect(provider, requestOf())).message.failure?.kind, "context_overflow");
  const { events, message } = await collect(provider, requestOf());
  assertEquals([message.stopReason, events.at(-2)?.type], ["length", "notice"]);
});

leaklessTest("openChat() does not take words of the address for the cause of a broken connection", async () => {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const breaking = (async () => {
    // Asked again at once by the platform where a connection was in use before; this one never was.
    using socket = await listener.accept();
    await socket.read(new Uint8Array(65_536));
  })();
  const url = `http://127.0.0.1:${listener.addr.port}/dns/tls/timeout/v1`;
  const { message } = await collect(openChat(connection(url)), requestOf());
  await breaking;
  listener.close();
  assertEquals([message.failure?.kind, message.failure?.retry], ["network", true]);
  assertStringIncludes(message.failure?.message ?? "", "The connection to 127.0.0.1");
});

leaklessTest(
  "openChat() follows a redirect on its server with the whole request, and none that leads elsewhere",
  async () => {
    const to = (location: string, status = 307) => (): Response =>
      new Response(null, { status, headers: { location } });
    await using other = serve(saying("from elsewhere"));
    const elsewhere = `${other.url}/chat/completions`;
    await using server = serve(
      to("/v2/chat/completions"),
      saying("from here"),
      to(elsewhere),
      to("/v1/login", 302),
      to("/loop", 308),
    );
    const provider = openChat(connection(server.url));
    assertEquals((await collect(provider, requestOf())).message.content, [{ type: "text", text: "from here" }]);
    assertEquals(server.bodies[1], server.bodies[0]);
    assertEquals(server.headers[1]?.get("authorization"), `Bearer ${KEY}`);
    const refused = async (said: string): Promise<void> => {
      const { failure } = (await collect(provider, requestOf())).message;
      assertEquals([failure?.kind, failure?.retry], ["bad_request", false]);
      assertStringIncludes(failure?.message ?? "", said);
    };
    await refused(`answered 307: "It redirects to ${elsewhere}". Set --base-url to where it leads, if you trust that.`);
    await refused("answered 302: ");
    await refused("answered 308: ");
    assertEquals([other.bodies.length, server.bodies.length], [0, 10]);
  },
);
