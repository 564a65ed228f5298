// The same replies in the words of each protocol: whatever the server speaks, the same comes of it.
import { assertEquals } from "@std/assert";
import { textOf } from "../../src/core/message.ts";
import { event, READ } from "../provider/anthropic/wire.ts";
import { joined, leaklessTest, sse } from "../provider/wire_server.ts";
import { drive, inPieces, SIZES } from "./drive.ts";
import { summaryOf, type WireApi } from "./expectation.ts";
import { COUNTED, type Part, replyOf } from "./replies.ts";

const TEXT: Part = { type: "text", text: "Größe: 3 µm – ✓ 👩‍💻, and\n\ntwo lines." };
const THINKING: Part = { type: "thinking", text: "First the list, then 漢字.", signature: "U0lH" };
const CALL_A: Part = { type: "call", id: "call_a", name: "read", json: '{"path":"src/größe.ts"}' };
const CALL_B: Part = { type: "call", id: "call_b", name: "read", json: '{ "path" : "b \\"c\\".ts" }' };

const NOTHING = { text: "", reasoning: "", toolCalls: [], usage: undefined, error: undefined };
const called = (id: string, path: string) => ({ id, name: "read", args: { path }, refused: undefined });

interface Case {
  readonly name: string;
  readonly parts: readonly Part[];
  /** What happens to the whole reply. */
  readonly change?: (text: string, api: WireApi) => string;
  readonly expect: Record<string, unknown>;
}

/** All that comes before the event in which `word` stands. */
const cutBefore = (word: string) => (text: string): string => {
  const events = text.split(/(?<=\n\n)/);
  return events.slice(0, events.findIndex((one) => one.includes(word))).join("");
};

/** How a server says in the midst of a reply that it has too much to do. */
const BUSY: Readonly<Record<WireApi, string>> = {
  chat: `data: ${JSON.stringify({ error: { code: 503, message: "The model is overloaded" } })}\n\n`,
  responses: event("response.failed", {
    response: { status: "failed", error: { code: "server_error", message: "The server had an error" } },
  }),
  anthropic: event("error", { error: { type: "overloaded_error", message: "Overloaded" } }),
};

const CASES: readonly Case[] = [
  {
    name: "letters of several bytes in text",
    parts: [TEXT],
    expect: { text: TEXT.text, stopReason: "stop", usage: COUNTED },
  },
  {
    name: "reasoning before text",
    parts: [THINKING, TEXT],
    expect: { text: TEXT.text, reasoning: THINKING.text, stopReason: "stop", usage: COUNTED },
  },
  {
    name: "two calls beside text and reasoning",
    parts: [THINKING, TEXT, CALL_A, CALL_B],
    expect: {
      text: TEXT.text,
      reasoning: THINKING.text,
      toolCalls: [called("call_a", "src/größe.ts"), called("call_b", 'b "c".ts')],
      stopReason: "toolUse",
      usage: COUNTED,
    },
  },
  {
    name: "a call and nothing else",
    parts: [CALL_A],
    expect: { toolCalls: [called("call_a", "src/größe.ts")], stopReason: "toolUse", usage: COUNTED },
  },
  {
    name: "line ends of two letters and comments between the events",
    parts: [TEXT, CALL_B],
    change: (text) => text.replaceAll("\n\n", "\n\n: keep-alive\n\n").replaceAll("\n", "\r\n"),
    expect: { text: TEXT.text, toolCalls: [called("call_b", 'b "c".ts')], stopReason: "toolUse", usage: COUNTED },
  },
  {
    name: "fields and events that nobody knows",
    parts: [TEXT],
    change: (text, api) =>
      (api === "chat" ? "" : event("vendor.progress", { percent: 5 })) +
      text.replaceAll("data: {", 'data: {"x_vendor":{"deep":[1,null]},'),
    expect: { text: TEXT.text, stopReason: "stop", usage: COUNTED },
  },
  {
    name: "a server that fails after text",
    parts: [TEXT, CALL_A],
    change: (text, api) => cutBefore("call_a")(text) + BUSY[api],
    expect: { text: TEXT.text, stopReason: "error", error: { kind: "overload", retry: true } },
  },
];

for (const { name, parts, change = (text: string) => text, expect } of CASES) {
  for (const api of ["chat", "responses", "anthropic"] as const) {
    for (const size of SIZES) {
      leaklessTest(`${api}: ${name}, ${inPieces(size)}`, async () => {
        const { events, message } = await drive(api, sse(change(replyOf(api, parts), api), size), [READ]);
        const { usage, ...summary } = summaryOf(message, false);
        const { usage: wanted, ...others } = { ...NOTHING, ...expect };
        assertEquals<unknown>(summary, others);
        if (wanted !== undefined) assertEquals<unknown>(usage, wanted);
        assertEquals(joined(events, "text_delta"), textOf(message.content));
        assertEquals(joined(events, "thinking_delta"), summary.reasoning);
      });
    }
  }
}

for (const api of ["chat", "responses", "anthropic"] as const) {
  for (const size of SIZES) {
    leaklessTest(
      `${api}: a connection that ends in the midst of a call, ${inPieces(size)}: no call is left`,
      async () => {
        const whole = replyOf(api, [TEXT, CALL_A]);
        const half = whole.slice(0, whole.indexOf("größe"));
        const { message } = await drive(api, sse(half, size), [READ]);
        const { toolCalls, text, stopReason, error } = summaryOf(message, false);
        assertEquals<unknown>({ toolCalls, text, stopReason, error }, {
          toolCalls: [],
          text: TEXT.text,
          stopReason: "error",
          error: { kind: "network", retry: true },
        });
      },
    );
  }
}
