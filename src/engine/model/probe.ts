// What an endpoint can do, found out by asking it: a few small requests through the adapter that a session uses.
import type { AssistantMessage, Message } from "../../core/message.ts";
import { toolCallsOf } from "../../core/message.ts";
import { isObject, type JsonObject } from "../../core/json.ts";
import { messageOf } from "../../core/error.ts";
import type { Provider, ProviderRequest, ToolDefinition } from "../../core/provider.ts";
import type { SomeCapabilities } from "../../provider/capabilities/capabilities.ts";
import type { Price } from "../../provider/models/models.ts";
import type { RequestSeams } from "./open_model.ts";

/** Requests that one look at an endpoint may take, those that are refused and sent again in another form included. */
export const MOST_PROBES = 8;

/** Longest reply of one, tokens: half of it may be reasoning, and 1,024 are the least that Anthropic takes for that. */
export const PROBE_OUTPUT = 2048;

/** Longest prompt of one, tokens, about: long enough for a server to keep it in its cache. */
export const PROBE_INPUT = 3000;

/** One thing that was looked for. */
export interface Finding {
  readonly name: string;
  /** Whether it was seen; `undefined` where nobody asked, or the answer does not say. */
  readonly seen: boolean | undefined;
  /** What was seen, for a person. */
  readonly found: string;
}

/** What came of all requests. */
export interface Probed {
  readonly findings: readonly Finding[];
  /** What refusals taught, and nothing of what was known before. */
  readonly learned: SomeCapabilities;
  /** What was seen to be taken, as it was sent. */
  readonly taken: SomeCapabilities;
  /** Requests that were sent. */
  readonly requests: number;
}

/** The most that looking can cost, USD; `undefined` where no price is known. */
export function mostProbeCost(price: Price | undefined): number | undefined {
  if (!price) return undefined;
  const input = Math.max(price.input, price.cacheWrite ?? 0);
  return MOST_PROBES * (PROBE_INPUT * input + PROBE_OUTPUT * price.output) / 1e6;
}

const NOTE: ToolDefinition = {
  name: "note_number",
  description: "Notes a number.",
  parameters: {
    type: "object",
    properties: { number: { type: "integer" } },
    required: ["number"],
    additionalProperties: false,
  },
};

/** Fields of a body that ask for reasoning, over all protocols. */
const REASONING_FIELDS = [
  "reasoning_effort",
  "reasoning",
  "thinking",
  "enable_thinking",
  "chat_template_kwargs",
  "output_config",
];

/** A red square of 16 by 16. */
const RED =
  "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mP4z8BAEmIY1TCqYfhqAACQ+f8B8u7oVwAAAABJRU5ErkJggg==";

/** The same in each request and longer than the shortest text that servers keep in a cache. */
const LONG = Array.from({ length: 140 }, (_, at) => `Line ${at} of this text says nothing and is there to be long.`)
  .join("\n");

const user = (content: Extract<Message, { role: "user" }>["content"]): Message => ({
  role: "user",
  content,
  timestamp: 0,
});

/**
 * Asks. `open` gives the provider with seams that count what leaves and keep what refusals teach; beyond the limit nothing
 * leaves. Rejects only where `open` does.
 */
export async function probe(
  open: (seams: RequestSeams) => Promise<Provider>,
  known: SomeCapabilities,
  signal: AbortSignal,
): Promise<Probed> {
  let requests = 0;
  let learned: SomeCapabilities = {};
  let isStream = false;
  let isOver = false;
  let sent: JsonObject = {};
  let taken: SomeCapabilities = {};
  const provider = await open({
    beforeRequest(body) {
      isOver = requests === MOST_PROBES;
      if (isOver) throw new Error(`${MOST_PROBES} requests were sent, which is the limit`);
      requests++;
      sent = body;
      return undefined;
    },
    onResponse: (status, headers) => {
      if (status === 200) isStream = /event-stream/i.test(headers()["content-type"] ?? "");
    },
    memory: {
      recall: () => ({ ...known, ...learned }),
      remember: (change) => void (learned = { ...learned, ...change }),
      warnings: () => [],
    },
  });
  let cached = 0;

  async function ask(messages: readonly Message[], more: Partial<ProviderRequest> = {}): Promise<AssistantMessage> {
    const system = { stable: `Answer in as few words as you can.\n${LONG}`, dynamic: "" };
    const request = { system, messages, tools: [], thinking: "off", maxTokens: PROBE_OUTPUT, ...more } as const;
    for await (const event of provider.stream(request, signal)) {
      if (event.type !== "end") continue;
      cached = Math.max(cached, event.message.usage?.cacheRead ?? 0);
      return event.message;
    }
    throw new Error("a provider ended without an end");
  }

  /** What a reply that failed says: neither the limit nor a server that is busy is a word on what it can do. */
  const failed = ({ failure }: AssistantMessage): Pick<Finding, "seen" | "found"> | undefined =>
    failure &&
    (isOver
      ? { seen: undefined, found: `not asked to its end: ${MOST_PROBES} requests were sent` }
      : { seen: failure.kind === "bad_request" ? false : undefined, found: failure.message });

  const findings: Finding[] = [];
  const tell = (name: string, seen: boolean | undefined, found: string): void =>
    void findings.push({ name, seen, found });
  const text = ({ content }: AssistantMessage): string =>
    content.map((part) => part.type === "text" ? part.text : "").join("");

  const first = await ask([user("Say: ready")]);
  if (first.failure || first.stopReason === "aborted") {
    tell("answers", false, first.errorMessage ?? "it was broken off");
    return { findings, learned, taken, requests };
  }
  tell("answers", true, "yes");
  tell("streaming", isStream, isStream ? "it sends a stream of events" : "the reply came as a whole");
  const { usage } = first;
  if (usage !== undefined && "stream_options" in sent) taken = { ...taken, streamOptions: true };
  tell("usage", usage !== undefined, usage ? `${usage.totalTokens} tokens counted` : "it counts no tokens");

  const question = user("Call note_number with 1 and with 2, both in this one reply.");
  const thinking = "low";
  const called = await ask([question], { tools: [NOTE], thinking });
  const calls = toolCallsOf(called).filter(({ refused }) => !refused);
  const refused = failed(called);
  tell(
    "tools",
    refused ? refused.seen : calls.length > 0,
    refused?.found ?? (calls.length > 0 ? "it calls them" : "it called none when it was asked to"),
  );
  tell(
    "parallel calls",
    calls.length > 1 ? true : calls.length === 1 ? false : undefined,
    calls.length > 1
      ? `${calls.length} in one reply`
      : calls.length === 1
      ? "one in a reply that was to have two"
      : "not seen",
  );
  const reasons = called.content.some(({ type }) => type === "thinking") || (called.usage?.reasoningTokens ?? 0) > 0;
  const wasAsked = REASONING_FIELDS.some((name) => name in sent);
  tell(
    "reasoning",
    reasons ? true : refused !== undefined || !wasAsked ? undefined : false,
    reasons
      ? "it reasons"
      : refused !== undefined
      ? "not seen"
      : wasAsked
      ? "it showed none when it was asked to"
      : `it was not asked to: ${
        learned.effortStyle === "none" ? "it refused that" : "it is known not to, or to do so by itself"
      }`,
  );
  if (calls.length === 0) tell("reasoning echo", undefined, "not asked: there was no call to answer");
  else {
    const results = toolCallsOf(called).map(({ id, name }): Message => ({
      role: "toolResult",
      toolCallId: id,
      toolName: name,
      content: [{ type: "text", text: "noted" }],
      isError: false,
      timestamp: 0,
    }));
    const echoed = await ask([question, called, ...results], { tools: [NOTE], thinking });
    const what = reasons ? "its reply with the reasoning" : "its reply, which had no reasoning,";
    const why = failed(echoed);
    tell(
      "reasoning echo",
      why ? why.seen : reasons ? true : undefined,
      why?.found ?? `${what} was taken back with the results`,
    );
  }

  const image = { type: "image", data: RED, mimeType: "image/png" } as const;
  const seen = await ask([user([{ type: "text", text: "Which colour is this square? One word." }, image])]);
  const wasSent = JSON.stringify(sent).includes(RED);
  const unseen = failed(seen);
  const isRed = /\bred\b/i.test(text(seen));
  if (!unseen && wasSent && isRed) taken = { ...taken, images: true };
  tell(
    "images",
    unseen ? unseen.seen : !wasSent ? false : isRed ? true : undefined,
    unseen?.found ??
      (!wasSent
        ? `none is sent to it: ${learned.images === false ? "it refused one" : "it is known to take none"}`
        : isRed
        ? "it sees them"
        : "it took one, but did not say what is on it"),
  );

  const twice = await ask([user("One thing first."), user("Say: ready")]);
  const untaken = failed(twice);
  const areTwo = endsInTwoUsers(sent);
  if (!untaken && areTwo) taken = { ...taken, alternation: false };
  tell(
    "alternation",
    untaken ? untaken.seen : true,
    untaken?.found ??
      (areTwo
        ? "not needed: it took two user messages in a row"
        : `two user messages in a row are sent as one${learned.alternation ? ": it refused them" : ""}`),
  );
  tell(
    "cache",
    cached > 0 ? true : undefined,
    cached > 0 ? `${cached} tokens of a prompt were read from it` : "not seen",
  );
  return { findings, learned, taken, requests };
}

/** Whether the last two messages of a body are both the user's. */
function endsInTwoUsers(body: JsonObject): boolean {
  const list = body.messages ?? body.input;
  const last = Array.isArray(list) ? list.slice(-2) : [];
  return last.length === 2 && last.every((message) => isObject(message) && message.role === "user");
}

/** A sentence for what went wrong before anything was sent. */
export function probeFailure(error: unknown): Finding {
  return { name: "answers", seen: false, found: messageOf(error) };
}
