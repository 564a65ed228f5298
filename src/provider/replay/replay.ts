import { messageOf, UserError } from "../../core/error.ts";
import {
  type AssistantMessage,
  type TextContent,
  textOf,
  type ThinkingContent,
  type ToolCall,
  type Usage,
} from "../../core/message.ts";
import {
  type FailureKind,
  type Provider,
  type ProviderEvent,
  type ProviderFailure,
  type ProviderRequest,
  systemText,
} from "../../core/provider.ts";
import { sleep } from "../../core/support/sleep.ts";
import { type CassetteEntry, type CassetteError, type CassetteLine, parseCassette } from "./cassette.ts";

/** A provider that plays a cassette file, whose text `read` gives. Throws a UserError for a file that cannot be read or holds a bad line. */
export async function openReplay(
  file: string,
  read: () => string | Promise<string>,
  now: () => number = Date.now,
): Promise<Provider> {
  let text: string;
  try {
    text = await read();
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError({
      what: `Cannot open cassette "${file}"`,
      why: messageOf(error),
      fix: `Name a file of JSON lines that exists, or make one with --record ${file}`,
    }, { cause: error });
  }
  return openReplayText(text, file, now);
}

/**
 * A provider that plays a cassette's text: one reply for each request, in order, failed ones included.
 *
 * `name` is what messages and errors call it. Throws a UserError for a bad line or a text without any.
 */
export function openReplayText(text: string, name: string, now: () => number = Date.now): Provider {
  const entries = parseCassette(text, name);
  if (entries.length === 0) {
    throw new UserError({
      what: `Cannot use cassette "${name}"`,
      why: "it holds no reply",
      fix: `Write one JSON object a line, for example {"text":"Done."}`,
    });
  }
  const played = new Set<CassetteEntry>();
  return {
    name: "replay",
    model: name,
    stream(request, signal) {
      const own = linesFor(request, entries);
      const entry = own.find((one) => !played.has(one));
      if (entry) played.add(entry);
      const stamp = { provider: "replay", model: name, timestamp: now() };
      return entry ? playEntry(entry, request, stamp, signal) : playFailure(atItsEnd(name, own.length), stamp);
    },
  };
}

/** Replies of a cassette that are played before a model is asked. */
export interface Lead {
  /** `live` with the replies before its own: its own lines for each sub-agent. `agentId`: as in `recordProvider`. */
  readonly before: (live: Provider, agentId?: string) => Provider;
}

/**
 * Opens a cassette whose replies come first, each once, for all models of a run together. They cost nothing: what they cost is
 * paid. Throws a UserError for a file that cannot be read or holds a bad line.
 */
export function openLead(file: string, now: () => number = Date.now): Lead {
  let text: string;
  try {
    text = Deno.readTextFileSync(file);
  } catch (error) {
    throw new UserError({
      what: `Cannot play ${file} first`,
      why: messageOf(error),
      fix: "Name a recording with sandpiper check --from",
    }, { cause: error });
  }
  const waiting = new Set(parseCassette(text, file).map(withoutCost));
  return {
    before: (live, agentId) => ({
      name: live.name,
      model: live.model,
      stream(request, signal) {
        const asking = request.agentId ?? agentId;
        const entry = [...waiting].find(({ line }) => line.agent === asking);
        if (!entry) return live.stream(request, signal);
        waiting.delete(entry);
        return playEntry(entry, request, { provider: "replay", model: file, timestamp: now() }, signal);
      },
    }),
  };
}

function withoutCost({ line, lineNumber }: CassetteEntry): CassetteEntry {
  if (!line.usage) return { line, lineNumber };
  const { costUsd: _, ...usage } = line.usage;
  return { line: { ...line, usage }, lineNumber };
}

/** Streams one reply of a cassette; a failure where the request is not what it expects. */
export function playEntry(
  entry: CassetteEntry,
  request: ProviderRequest,
  stamp: Stamp,
  signal: AbortSignal,
): AsyncGenerator<ProviderEvent> {
  const missing = missingText(request, entry.line.expect ?? []);
  if (missing === undefined) return playLine(entry, stamp, signal);
  return playFailure(unmet(stamp.model, entry.lineNumber, missing), stamp);
}

/** The lines of this sub-agent, else those that name this conversation; where none does, those that name none. */
function linesFor({ messages, agentId }: ProviderRequest, all: readonly CassetteEntry[]): readonly CassetteEntry[] {
  const its = agentId === undefined ? [] : all.filter(({ line }) => line.agent === agentId);
  if (its.length > 0) return its;
  const entries = all.filter(({ line }) => line.agent === undefined);
  const first = messages.find(({ role }) => role === "user");
  const words = first?.role === "user" ? textOf(first.content) : "";
  const named = entries.filter(({ line: { conversation } }) =>
    conversation !== undefined && words.includes(conversation)
  );
  return named.length > 0 ? named : entries.filter(({ line }) => line.conversation === undefined);
}

/** The first of `wanted` that the request does not hold, taken literally or as JSON writes it. */
function missingText({ system, messages, tools }: ProviderRequest, wanted: readonly string[]): string | undefined {
  if (wanted.length === 0) return undefined;
  const sent = JSON.stringify({ system: systemText(system), messages, tools });
  return wanted.find((text) => !sent.includes(text) && !sent.includes(JSON.stringify(text).slice(1, -1)));
}

function atItsEnd(name: string, count: number): ProviderFailure {
  const replies = count === 1 ? "1 reply" : `${count} replies`;
  return {
    kind: "bad_request",
    message: `Cassette "${name}" is at its end: it holds ${replies} and the run asked for one more. ` +
      "Add a line for it, or record the run again",
    retry: false,
  };
}

function unmet(name: string, lineNumber: number, missing: string): ProviderFailure {
  return {
    kind: "bad_request",
    message: `Cassette "${name}", line ${lineNumber}, expects ${JSON.stringify(missing)} in the request; ` +
      "it is not there",
    retry: false,
  };
}

/** Size of a streamed piece where the line does not say, UTF-16 units: a few words, as servers send them. */
const CHUNK_CHARS = 24;

/** Who a played message says it is from, and when. */
export type Stamp = Pick<AssistantMessage, "provider" | "model" | "timestamp">;

type Ending = Pick<AssistantMessage, "stopReason" | "failure" | "errorMessage" | "usage">;

/** Streams one reply of a cassette as a server would; ends at the next piece after `signal` aborts. */
async function* playLine(
  { line, lineNumber }: CassetteEntry,
  stamp: Stamp,
  signal: AbortSignal,
): AsyncGenerator<ProviderEvent> {
  const size = line.chunkChars ?? CHUNK_CHARS;
  const content: (TextContent | ThinkingContent | ToolCall)[] = [];
  const end = (ending: Ending): ProviderEvent => ({
    type: "end",
    message: { role: "assistant", content, ...stamp, ...ending },
  });

  if (line.delayMs) await sleep(line.delayMs, signal);
  for (const type of ["thinking", "text"] as const) {
    const whole = line[type] ?? "";
    let sent = 0;
    for (const delta of pieces(whole, size)) {
      if (signal.aborted) break;
      yield { type: `${type}_delta`, delta };
      sent += delta.length;
    }
    const said = whole.slice(0, sent);
    if (said) content.push(type === "text" ? { type, text: said } : { type, thinking: said });
  }
  for (const [index, call] of (line.calls ?? []).entries()) {
    let name: { readonly name?: string } = { name: call.name };
    for (const delta of pieces(call.refused?.raw ?? JSON.stringify(call.args), size)) {
      if (signal.aborted) break;
      yield { type: "toolcall_delta", index, ...name, delta };
      name = {};
    }
    // Half a call is none: what was not streamed to its end must never look as if it could run.
    if (signal.aborted) break;
    content.push(toolCall(call, call.id ?? `call_${lineNumber}_${index + 1}`));
  }
  yield end(signal.aborted ? { stopReason: "aborted" } : endingOf(line));
}

/** Streams nothing but a failure. */
async function* playFailure(failure: ProviderFailure, stamp: Stamp): AsyncGenerator<ProviderEvent> {
  await Promise.resolve();
  yield {
    type: "end",
    message: {
      role: "assistant",
      content: [],
      ...stamp,
      stopReason: "error",
      failure,
      errorMessage: failure.message,
    },
  };
}

function toolCall({ name, args, refused }: NonNullable<CassetteLine["calls"]>[number], id: string): ToolCall {
  return { type: "toolCall", id, name, arguments: args, ...(refused ? { refused } : {}) };
}

function endingOf(line: CassetteLine): Ending {
  const usage = line.usage ? { usage: usageOf(line.usage) } : {};
  if (line.error) {
    const failure = failureOf(line.error);
    return { stopReason: "error", failure, errorMessage: failure.message, ...usage };
  }
  if (line.stopReason === "length") return { stopReason: "length", ...usage };
  return { stopReason: line.calls?.length ? "toolUse" : "stop", ...usage };
}

function failureOf({ status, message, kind: told, retry, retryAfterMs }: CassetteError): ProviderFailure {
  const kind = told ?? kindOf(status);
  return {
    kind,
    message,
    ...(status === undefined ? {} : { status }),
    retry: retry ?? (kind === "rate_limit" || kind === "overload" || kind === "network"),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

function kindOf(status: number | undefined): FailureKind {
  if (status === undefined) return "network";
  if (status === 401 || status === 403) return "auth";
  if (status === 413) return "context_overflow";
  if (status === 429) return "rate_limit";
  return status === 408 || status >= 500 ? "overload" : "bad_request";
}

function usageOf({ input, output, cacheRead = 0, cacheWrite = 0, costUsd }: NonNullable<CassetteLine["usage"]>): Usage {
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
    totalTokens: input + output + cacheRead + cacheWrite,
    // A cassette keeps the sum alone: the parts are a matter of the price list of the day.
    ...(costUsd === undefined ? {} : { cost: { input: 0, output: 0, cacheRead: 0, total: costUsd } }),
  };
}

/** The text in parts of `size` UTF-16 units, one more where a part would end in half a character. */
function* pieces(text: string, size: number): Generator<string> {
  for (let start = 0; start < text.length;) {
    let end = start + size;
    if ((text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end++;
    yield text.slice(start, end);
    start = end;
  }
}
