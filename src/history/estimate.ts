import type { AgentMessage, AssistantMessage } from "../core/message.ts";
import { messageBound, messageTokens } from "./message_tokens.ts";
import { countTokens, tokenBound } from "./tokenizer.ts";

/** What is known beside the messages. */
export interface EstimateOptions {
  /**
   * Up to here the exact number does not matter: when the cheap bound stays at or below, it is the answer and no
   * tokenizer is loaded. Zero always counts.
   */
  readonly enough?: number;
  /** Texts that go along with every request (system prompt, tool definitions); counted where no usage covers them. */
  readonly fixed?: readonly string[];
  /** Index of the first message that came after the last compaction; found by the summary's time when left out. */
  readonly freshFrom?: number;
  readonly signal?: AbortSignal;
}

/** Tokens of the next request. */
export interface ContextEstimate {
  readonly tokens: number;
  /** Of it, what the provider told. */
  readonly told: number;
  /** Messages after the one whose usage was taken; all of them when none was. */
  readonly following: number;
  /** `bound`: certainly not more than this; `counted`: by the tokenizer. */
  readonly precision: "bound" | "counted";
}

/**
 * Estimates the context: the usage of the newest reply that tells one, and what came after it.
 *
 * Failed, stopped and zero usages are skipped, and those from before the last compaction, which speak of a context that
 * is gone. Looks only at what follows the usage: a long conversation costs no more than a short one.
 */
export async function estimateContext(
  messages: readonly AgentMessage[],
  options: EstimateOptions = {},
): Promise<ContextEstimate> {
  const at = usageIndex(messages, options.freshFrom);
  const told = at === undefined ? 0 : usageOf(messages[at]);
  const rest = messages.slice(at === undefined ? 0 : at + 1);
  const fixed = at === undefined ? options.fixed ?? [] : [];
  const known = { told, following: rest.length };

  const bound = fixed.reduce((sum, text) => sum + tokenBound(text), told) +
    rest.reduce((sum, message) => sum + messageBound(message), 0);
  if (bound <= (options.enough ?? 0)) return { ...known, tokens: bound, precision: "bound" };

  let tokens = told;
  for (const text of fixed) tokens += await countTokens(text, options.signal);
  for (const message of rest) tokens += await messageTokens(message, options.signal);
  return { ...known, tokens, precision: "counted" };
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

function usageIndex(messages: readonly AgentMessage[], freshFrom: number | undefined): number | undefined {
  const oldest = freshFrom ?? 0;
  const compactedAt = freshFrom === undefined ? lastCompaction(messages) : -Infinity;
  for (let i = messages.length - 1; i >= oldest; i--) {
    const message = messages[i];
    if (message?.role === "assistant" && message.timestamp > compactedAt && usageOf(message) > 0) return i;
  }
  return undefined;
}

/** Tokens of the context up to and with a reply; 0 where it does not tell. */
function usageOf(message: AgentMessage | undefined): number {
  if (message?.role !== "assistant" || !isValid(message) || !message.usage) return 0;
  const { input, output, cacheRead, cacheWrite } = message.usage;
  return input + output + cacheRead + cacheWrite;
}

function isValid({ stopReason }: AssistantMessage): boolean {
  return stopReason !== "error" && stopReason !== "aborted";
}

/** A summary stands at the head of the conversation, before messages that are older than it is. */
function lastCompaction(messages: readonly AgentMessage[]): number {
  const [first] = messages;
  return first?.role === "compactionSummary" ? first.timestamp : -Infinity;
}
