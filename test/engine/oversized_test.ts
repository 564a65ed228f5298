// A message that is larger than the context window, over a server that rejects requests that are too long.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { callReply, textReply } from "../helpers/server.ts";
import { type Session, type SessionOptions, withSession } from "./world.ts";

// deno-lint-ignore no-explicit-any -- tests look at fields of the wire format
type Body = any;

/** JSON characters of the messages that the server takes, and what it says to more. */
interface Bounds {
  readonly most: number | ((body: Body) => number);
  readonly status?: number;
  readonly error?: unknown;
}

interface Bounded {
  readonly baseUrl: string;
  readonly requests: Body[];
  /** How many of them were rejected. */
  readonly rejected: () => number;
}

/** Serves chat completions; a request that is too long is rejected, and a silent server cuts it without a word. */
async function withBounded(
  { most, status = 400, error }: Bounds,
  answer: (body: Body) => unknown[],
  work: (server: Bounded) => Promise<void>,
): Promise<void> {
  const requests: Body[] = [];
  let rejected = 0;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    if (request.method === "GET") return new Response(JSON.stringify({ data: [{ id: "wire" }] }));
    const body = await request.json();
    const room = typeof most === "number" ? most : most(body);
    if (JSON.stringify(body.messages).length > room && error !== undefined) {
      rejected++;
      return new Response(JSON.stringify({ error }), { status });
    }
    requests.push(body);
    const lines = answer(body).map((event) => `data: ${JSON.stringify(event)}\n\n`);
    return new Response(lines.join("") + "data: [DONE]\n\n", { headers: { "content-type": "text/event-stream" } });
  });
  try {
    await work({ baseUrl: `http://127.0.0.1:${server.addr.port}/v1`, requests, rejected: () => rejected });
  } finally {
    await server.shutdown();
  }
}

function open(
  server: Bounded,
  options: Omit<SessionOptions, "replies">,
  work: (session: Session) => Promise<void>,
): Promise<void> {
  const args = ["-m", "wire", "--base-url", server.baseUrl, ...options.args ?? []];
  return withSession({ ...options, replies: [{ text: "" }], args }, work);
}

/** A reply that tells no usage, as many servers at home. */
const silent = (text: string): unknown[] => textReply(text).slice(0, 2);
const GIANT = Array.from({ length: 6000 }, (_, i) => `a pasted line of some length, number ${i}`).join("\n");

const WORDINGS: readonly (readonly [string, Bounds])[] = [
  ["OpenAI", {
    most: 60_000,
    error: {
      message: "This model's maximum context length is 20000 tokens. However, your messages resulted in 80000 tokens",
      code: "context_length_exceeded",
    },
  }],
  ["llama.cpp", {
    most: 60_000,
    error: {
      code: 400,
      message: "the request exceeds the available context size, try increasing it",
      type: "exceed_context_size_error",
      n_prompt_tokens: 80_000,
      n_ctx: 20_000,
    },
  }],
  ["vLLM", {
    most: 60_000,
    error: {
      message:
        "This model's maximum context length is 20000 tokens. However, you requested 84096 tokens (80000 in the " +
        "messages, 4096 in the completion). Please reduce the length of the messages or completion.",
      type: "BadRequestError",
    },
  }],
  ["SGLang", {
    most: 60_000,
    error: { message: "The input (80000 tokens) is longer than the model's context length (20000 tokens)." },
  }],
  ["Gemini", {
    most: 60_000,
    error: { message: "The input token count (80000) exceeds the maximum number of tokens allowed (20000)." },
  }],
  ["llama-cpp-python", { most: 60_000, error: { message: "Requested tokens (80000) exceed context window of 20000" } }],
  ["a server that names no number", { most: 60_000, error: { message: "prompt is too long", type: "invalid" } }],
  ["a server that says only that the body is too large", {
    most: 60_000,
    status: 413,
    error: { message: "too large" },
  }],
  ["a server that names a larger window than it takes", {
    most: 20_000,
    error: { message: "This model's maximum context length is 20000 tokens", code: "context_length_exceeded" },
  }],
];

for (const [name, bounds] of WORDINGS) {
  Deno.test(`a message larger than the window is shortened, and the session goes on: ${name}`, () =>
    withBounded(bounds, () => silent("fine"), async (server) => {
      const at = { ws: Deno.makeTempDirSync(), home: Deno.makeTempDirSync() };
      try {
        await open(server, { at }, async ({ say, events }) => {
          assertEquals(await say("start"), "fine");
          assertEquals(await say(`look at this\n${GIANT}\nand say what it is`), "fine");
          const sent = JSON.stringify(server.requests.at(-1).messages.at(-1));
          assertStringIncludes(sent, "look at this");
          assertStringIncludes(sent, "and say what it is");
          assertStringIncludes(sent, "All of it is in session entry ");
          assertEquals(await say("small"), "fine");
          const notices = events.flatMap((event) => event.type === "notice" ? [event.message] : []);
          assertEquals(notices.filter((notice) => notice.includes("too large for the context window")).length, 1);
          // The message stayed whole until it was answered.
          const types = events.map(({ type }) => type);
          const compacted = types.indexOf("compaction_start");
          assert(compacted < 0 || types.slice(0, compacted).filter((type) => type === "agent_end").length === 2);
        });
        await open(server, { at, args: ["-c"] }, async ({ say }) => assertEquals(await say("smaller"), "fine"));
      } finally {
        for (const place of Object.values(at)) Deno.removeSync(place, { recursive: true });
      }
    }));
}

for (
  const [known, settings] of [["beforehand", { models: { wire: { contextWindow: 8192, maxTokens: 1024 } } }], [
    "from a rejection",
    {},
  ]] as const
) {
  Deno.test(`results larger than the window leave the task in place, window known ${known}`, () =>
    withBounded(
      { most: 24_000, error: { message: "too long", type: "exceed_context_size_error", n_ctx: 8192 } },
      (body) =>
        body.messages.at(-1).role === "user" && JSON.stringify(body.messages.at(-1)).includes("big.txt")
          ? callReply({ name: "read", args: { path: "big.txt" } }, { name: "read", args: { path: "big2.txt" } })
          : silent("fine"),
      (server) =>
        open(
          server,
          { settings, files: { "big.txt": GIANT.slice(0, 60_000), "big2.txt": GIANT.slice(0, 60_000) } },
          async ({ say }) => {
            assertEquals(await say("read big.txt and big2.txt, THE TASK"), "fine");
            const { messages } = server.requests.at(-1);
            assertStringIncludes(JSON.stringify(messages), "THE TASK");
            assertStringIncludes(JSON.stringify(messages.at(-1)), "call the tool again for a smaller part");
            assertEquals(await say("say hello"), "fine");
            // Where the server says nothing at all, requests are below the window, too.
            if (known === "beforehand") assertEquals(server.rejected(), 0);
          },
        ),
    ));
}

Deno.test("/compact makes a conversation shorter whose one message is larger than what is kept, and tells both sizes", () =>
  withBounded(
    { most: Infinity },
    ({ messages }) =>
      JSON.stringify(messages[0]).includes("You condense") ? silent("## Goal\nTHE SUMMARY") : silent("ok"),
    (server) =>
      open(server, {}, async ({ say, engine, events }) => {
        await say(`look: ${GIANT}`);
        await say("second");
        assertEquals(await engine.compact(), true);
        const end = events.find((event) => event.type === "compaction_end");
        assert(end?.type === "compaction_end" && end.result?.tokensAfter !== undefined);
        const { tokensBefore, tokensAfter } = end.result;
        assert(tokensBefore > 60_000 && tokensAfter < 10_000, `${tokensBefore} ${tokensAfter}`);
        // What a screen shows is the new size.
        assertEquals(engine.state().context.tokens, tokensAfter);
        await say("third");
        assert(JSON.stringify(server.requests.at(-1)).length < 40_000);
        assertStringIncludes(JSON.stringify(server.requests.at(-1)), "THE SUMMARY");
      }),
  ));

Deno.test("a message that a compaction keeps is shortened after it, and one that nobody has answered keeps more", () =>
  withBounded(
    { most: Infinity },
    ({ messages }) =>
      JSON.stringify(messages[0]).includes("You condense") ? silent("## Goal\nTHE SUMMARY") : silent("ok"),
    (server) =>
      open(server, {}, async ({ say, engine }) => {
        await say("first");
        await say("second");
        await say(`look: ${GIANT}`);
        await say("x".repeat(20).concat(" y").repeat(3000));
        assertEquals(await engine.compact(), true);
        await say("third");
        assert(JSON.stringify(server.requests.at(-1)).length < 130_000);
      }),
  ));

Deno.test("with a rolling history a message larger than the window is shortened, too", () =>
  withBounded(
    { most: 60_000, error: { message: "prompt is too long: 80000 tokens > 20000 maximum" } },
    ({ messages }) => JSON.stringify(messages[0]).includes("You condense") ? silent("THE SUMMARY") : silent("ok"),
    (server) =>
      open(server, { settings: { history: "rolling" } }, async ({ say }) => {
        assertEquals(await say("first"), "ok");
        assertEquals(await say(`look: ${GIANT}`), "ok");
        assertEquals(await say("second"), "ok");
        assertEquals(await say("third"), "ok");
      }),
  ));

Deno.test("a summary request that does not fit is made again with less", () => {
  let summaries = 0;
  return withBounded(
    {
      most: ({ messages }) => JSON.stringify(messages[0]).includes("You condense") ? 30_000 : 1_000_000,
      error: { message: "prompt is too long" },
    },
    ({ messages }) => {
      if (!JSON.stringify(messages[0]).includes("You condense")) return silent("ok");
      summaries++;
      return silent("## Goal\nTHE SUMMARY");
    },
    (server) =>
      open(server, {}, async ({ say, engine }) => {
        for (let i = 0; i < 8; i++) await say(`part ${i} ${GIANT.slice(0, 20_000)}`);
        for (let i = 0; i < 3; i++) await say(`short ${i}`);
        assertEquals(await engine.compact(), true);
        assertEquals(summaries, 1);
        assert(server.rejected() > 0);
      }),
  );
});

Deno.test("a server that uses far less of a request than was sent is warned of once", () => {
  const used = (tokens: number) => [
    ...silent("fine"),
    { choices: [], usage: { prompt_tokens: tokens, completion_tokens: 5, total_tokens: tokens + 5 } },
  ];
  return withBounded(
    { most: Infinity },
    ({ messages }) => used(Math.min(4000, JSON.stringify(messages).length >> 2)),
    (server) =>
      open(server, {}, async ({ say, events }) => {
        const warnings = (): number =>
          events.filter((event) => event.type === "notice" && event.message.includes("OLLAMA_CONTEXT_LENGTH")).length;
        await say("short");
        assertEquals(warnings(), 0);
        await say(GIANT.slice(0, 80_000));
        await say("and again");
        assertEquals(warnings(), 1);
      }),
  );
});
