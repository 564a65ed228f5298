import type { AssistantMessage, TextContent, ThinkingContent, ToolCall, Usage } from "../../core/message.ts";
import type { FailureKind, ProviderEvent, ProviderFailure } from "../../core/provider.ts";
import { sleep } from "../../core/support/sleep.ts";
import type { CassetteEntry, CassetteError, CassetteLine } from "./cassette.ts";

/** Size of a streamed piece where the line does not say, UTF-16 units: a few words, as servers send them. */
const CHUNK_CHARS = 24;

/** Who a played message says it is from, and when. */
export type Stamp = Pick<AssistantMessage, "provider" | "model" | "timestamp">;

type Ending = Pick<AssistantMessage, "stopReason" | "failure" | "errorMessage" | "usage">;

/** Streams one reply of a cassette as a server would; ends at the next piece after `signal` aborts. */
export async function* playLine(
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
export async function* playFailure(failure: ProviderFailure, stamp: Stamp): AsyncGenerator<ProviderEvent> {
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
