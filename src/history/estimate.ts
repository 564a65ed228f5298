import type { AgentMessage } from "../core/message.ts";
import type { SessionEntry } from "../core/session.ts";
import { countTokens, messageBound, sentTokens, tokenBound } from "./tokens.ts";
import type { LimitOf } from "./window.ts";

/** What is known beside the messages. */
export interface EstimateOptions {
  /**
   * Up to here the exact number does not matter: when the cheap bound stays at or below, it is the answer and no
   * tokenizer is loaded. Zero always counts.
   */
  readonly enough?: number;
  /** Texts that go along with every request (system prompt, tool definitions); counted where no usage covers them. */
  readonly fixed?: readonly string[];
  /** Index of the first message that came after the last compaction: see `freshFrom`. */
  readonly freshFrom?: number;
  /** The most tokens that a message has in a request; none when left out. */
  readonly limitOf?: LimitOf;
  readonly signal?: AbortSignal;
}

/**
 * Estimates the tokens of the next request: the usage of the newest reply that tells one, and what came after it.
 *
 * Failed, stopped and zero usages are skipped, and those from before the last compaction, which speak of a context that
 * is gone. Looks only at what follows the usage: a long conversation costs no more than a short one.
 */
export async function estimateContext(
  messages: readonly AgentMessage[],
  options: EstimateOptions = {},
): Promise<number> {
  const oldest = options.freshFrom ?? 0;
  const at = messages.findLastIndex((message, index) => index >= oldest && usageOf(message) > 0);
  const told = usageOf(messages[at]);
  const rest = messages.slice(at + 1);
  const fixed = at < 0 ? options.fixed ?? [] : [];
  const limitOf = options.limitOf ?? (() => Infinity);
  const bound = fixed.reduce((sum, text) => sum + tokenBound(text), told) +
    rest.reduce((sum, message) => sum + Math.min(messageBound(message), limitOf(message)), 0);
  if (bound <= (options.enough ?? 0)) return bound;

  let tokens = told;
  for (const text of fixed) tokens += await countTokens(text, options.signal);
  for (const message of rest) tokens += await sentTokens(message, limitOf(message), options.signal);
  return tokens;
}

/**
 * Certainly not less than the tokens of the next request, by looking back no further than the newest reply that told a
 * usage; undefined when none did. `isStale` tells which replies spoke of a context that is gone.
 */
export function recentBound(
  messages: readonly AgentMessage[],
  isStale: (message: AgentMessage) => boolean,
): number | undefined {
  let bound = 0;
  for (let i = messages.length - 1; i >= 0; i--) {
    const message = messages[i];
    if (message === undefined || isStale(message)) return undefined;
    const told = usageOf(message);
    if (told > 0) return bound + told;
    bound += messageBound(message);
  }
  return undefined;
}

/** Tokens of the context up to and with a reply; 0 where it does not tell. */
function usageOf(message: AgentMessage | undefined): number {
  if (message?.role !== "assistant" || !message.usage) return 0;
  if (message.stopReason === "error" || message.stopReason === "aborted") return 0;
  const { input, output, cacheRead, cacheWrite } = message.usage;
  return input + output + cacheRead + cacheWrite;
}

/** Index of the first message that came after the newest compaction: older ones tell usages of a context that is gone. */
export function freshFrom(path: readonly SessionEntry[], entryIds: readonly string[]): number {
  const at = path.findLastIndex((entry) => entry.type === "compaction");
  if (at < 0) return 0;
  const after = new Set(path.slice(at + 1).map((entry) => entry.id));
  const index = entryIds.findIndex((id) => after.has(id));
  return index < 0 ? entryIds.length : index;
}
