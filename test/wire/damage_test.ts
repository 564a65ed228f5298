// Streams with something wrong in them, over the three protocols: the same seeds in every run.
import { assert, assertEquals } from "@std/assert";
import type { Provider } from "../../src/core/provider.ts";
import { rounds } from "../helpers/rounds.ts";
import { type Block, event, READ, replyEvents } from "../provider/anthropic/wire.ts";
import { collect, leaklessTest, pieces, requestOf, serve } from "../provider/wire_server.ts";
import { openWire } from "./drive.ts";
import type { WireApi } from "./expectation.ts";
import { type Part, replyOf } from "./replies.ts";

const PARTS: readonly Part[] = [
  { type: "thinking", text: "Thinking of ü and 😀. ", signature: "SIG" },
  { type: "text", text: "I look into two files.\n" },
  { type: "call", id: "call_1", name: "read", json: '{"path":"a \\"quoted\\" name.ts"}' },
  { type: "call", id: "call_2", name: "read", json: '{"path":"b.ts"}' },
];

/** The same in the Messages API, which has thinking that nobody may read, too. */
const BLOCKS: readonly Block[] = PARTS.flatMap((part): Block[] =>
  part.type === "thinking"
    ? [{ type: "thinking", thinking: part.text, signature: part.signature }, {
      type: "redacted_thinking",
      data: "XXXX",
    }]
    : part.type === "text"
    ? [part]
    : [{ type: "tool_use", id: part.id, name: part.name, input: JSON.parse(part.json) }]
);

/** How each protocol says in the midst of a stream that it failed, and with nothing to read in it. */
const ERRORS: Readonly<Record<WireApi, readonly string[]>> = {
  chat: [
    `data: ${JSON.stringify({ error: null })}\n\n`,
    `data: ${JSON.stringify({ error: { code: 529, message: "busy" } })}\n\n`,
  ],
  responses: [
    event("error"),
    event("response.failed", { response: { error: { code: "server_error", message: "x" } } }),
  ],
  anthropic: [event("error", { error: null }), event("error", { error: { type: "overloaded_error" } })],
};

/** Names of which one gets a value of another kind. */
const FIELDS =
  /"(?:index|output_index|type|delta|text|usage|content_block|content|choices|tool_calls|arguments|item)":/;

/** Streams of all protocols together. */
const STREAMS = rounds(1000);
const APIS = ["chat", "responses", "anthropic"] as const;

/** Random numbers that are the same in every run. */
function seeded(seed: number): (below: number) => number {
  let state = seed * 2654435761 + 1;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9) | 0;
    return ((state >>> 0) % below + below) % below;
  };
}

/** A stream with one to three things wrong with it. */
function damaged(text: string, random: (below: number) => number, errors: readonly string[]): Uint8Array<ArrayBuffer> {
  let events = text.split(/(?<=\n\n)/);
  for (let left = 1 + random(3); left > 0; left--) {
    const at = random(events.length);
    const one = events[at] ?? "";
    const cut = random(one.length + 1);
    switch (random(10)) {
      case 0: // the connection ends
        events = [...events.slice(0, at), one.slice(0, cut)];
        break;
      case 1: // an event is lost
        events = events.toSpliced(at, 1);
        break;
      case 2: // comes twice
        events = events.toSpliced(at, 0, one);
        break;
      case 3: // loses its end
        events = events.toSpliced(at, 1, one.slice(0, cut));
        break;
      case 4: // changes places
        events = events.toSpliced(at, 1).toSpliced(random(events.length), 0, one);
        break;
      case 5: // has other words in it
        events = events.toSpliced(at, 1, one.slice(0, cut) + "\u0000}{\n" + one.slice(cut));
        break;
      case 6: // has values of another kind
        events = events.toSpliced(
          at,
          1,
          one.replace(FIELDS, (key) => `${key}[null,1e999],"was":`),
        );
        break;
      case 7: // another index
        events = events.toSpliced(
          at,
          1,
          one.replace(/"((?:output_)?index)":\d+/, (_, name) => `"${name}":${[-1, 3, 99, 1.5][random(4)]}`),
        );
        break;
      case 8: // an error between them
        events = events.toSpliced(at, 0, errors[random(errors.length)] ?? "");
        break;
      default: // something else
        events = events.toSpliced(
          at,
          0,
          [": comment\n\n", "data: [DONE]\n\n", "event: x\n\n", "data: 7\n\n", "\r\n"][random(5)] ?? "",
        );
    }
    if (events.length === 0) events = [""];
  }
  const bytes = new TextEncoder().encode(events.join(""));
  if (random(4) === 0 && bytes.length > 0) bytes[random(bytes.length)] = random(256);
  return bytes;
}

leaklessTest(
  "1,000 damaged streams end with exactly one end each, and no call of them runs with half its input",
  async () => {
    const inputs = new Set(PARTS.flatMap((part) => part.type === "call" ? [part.json] : []));
    const wholes = {
      chat: replyOf("chat", PARTS),
      responses: replyOf("responses", PARTS),
      anthropic: replyEvents(BLOCKS, { step: 5 }),
    };
    const ends: Record<WireApi, Record<string, number>> = { chat: {}, responses: {}, anthropic: {} };
    let strange = 0;
    let next = { bytes: new Uint8Array(), size: 1 };
    const headers = { "content-type": "text/event-stream" };
    await using server = serve(() => new Response(pieces(next.bytes, next.size), { headers }));
    const providers: Record<WireApi, Provider> = {
      chat: await openWire("chat", server.url),
      responses: await openWire("responses", server.url),
      anthropic: await openWire("anthropic", server.url),
    };
    for (let seed = 0; seed < STREAMS; seed++) {
      const api = APIS[seed % APIS.length] ?? "chat";
      const random = seeded(seed);
      next = {
        bytes: damaged(wholes[api], random, ERRORS[api]),
        size: [1, 7, 64, 64, 1_000_000, 1_000_000][random(6)] ?? 1,
      };
      // Fails where there is not exactly one end, as the last event.
      const { message } = await collect(providers[api], requestOf({ tools: [READ] }));
      const { stopReason } = message;
      const where = `${api}, seed ${seed}: ${stopReason}`;
      ends[api][stopReason] = (ends[api][stopReason] ?? 0) + 1;
      assert(["stop", "toolUse", "error"].includes(stopReason), where);
      assertEquals(stopReason === "error", message.failure !== undefined, where);
      assertEquals(stopReason === "toolUse", message.content.some(({ type }) => type === "toolCall"), where);
      // A letter in an input may be another one, or a piece of it may have come twice: nobody can tell.
      for (const part of message.content) {
        if (part.type !== "toolCall" || part.refused || inputs.has(JSON.stringify(part.arguments))) continue;
        strange++;
        assertEquals(Object.keys(part.arguments), ["path"], where);
      }
    }
    assertEquals(server.bodies.length, STREAMS);
    for (const api of APIS) {
      assert((ends[api].error ?? 0) > 30 && (ends[api].toolUse ?? 0) > 30, JSON.stringify(ends));
    }
    assert(strange < STREAMS / 10, `${strange}`);
  },
);
