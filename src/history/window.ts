import { UserError } from "../core/error.ts";
import type { AgentMessage } from "../core/message.ts";

/** How a model's context window is used. Tokens. */
export interface WindowSettings {
  /** Whether history is shortened by itself; a command does it either way. */
  readonly enabled: boolean;
  /** Kept free for the reply. */
  readonly reserveTokens: number;
  /** Newest messages that are sent as they were. */
  readonly keepRecentTokens: number;
}

/** Settings where nothing else is told (R276, R292). */
export const WINDOW_DEFAULTS: WindowSettings = { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 };

/**
 * The tokens that history, prompt and tools may take: window minus reserve.
 *
 * Throws a UserError when the reserve leaves nothing (R321).
 */
export function windowBudget(contextWindow: number, reserveTokens: number): number {
  const budget = contextWindow - reserveTokens;
  if (budget > 0 && reserveTokens >= 0) return budget;
  throw new UserError({
    what: "Cannot divide the context window",
    why: `${reserveTokens} tokens are reserved for the reply and the window has ${contextWindow}`,
    fix: "Set reserveTokens below the window, for example to a quarter of it, or correct the model's context window",
  });
}

/** Whether history has to be shortened before the next request (R275, R276). Throws what `windowBudget` throws. */
export function shouldCompact(tokens: number, contextWindow: number, settings: WindowSettings): boolean {
  return tokens > windowBudget(contextWindow, settings.reserveTokens) && settings.enabled;
}

/**
 * How much of the newest messages is kept: what the settings say, but in a small window no more than half of the
 * budget, or compaction would leave the context as long as it was. `fixed`: tokens of the system prompt and the tools.
 */
export function keepBudget(contextWindow: number, settings: WindowSettings, fixed = 0): number {
  const half = Math.floor((windowBudget(contextWindow, settings.reserveTokens) - fixed) / 2);
  return Math.max(1, Math.min(settings.keepRecentTokens, half));
}

/** The most tokens that a single message may have in a request. */
export interface MessageLimits {
  /** For every message. */
  readonly any: number;
  /** For a message that a compaction kept. At most `any`. */
  readonly kept: number;
  /** The same, for one that the model had not answered yet at that time. At least `kept`. */
  readonly unanswered: number;
}

/** Every message is sent whole. */
export const NO_LIMITS: MessageLimits = { any: Infinity, kept: Infinity, unanswered: Infinity };

/** Returns the limit of a message of the conversation. */
export type LimitOf = (message: AgentMessage) => number;

/** The part of the room that one message may take. The rest is for the messages around it. */
const MESSAGE_SHARE = 0.75;

/** A shorter message says nothing. Tokens. */
const MIN_MESSAGE = 256;

/**
 * Returns the limits for single messages.
 *
 * @param budget Context window minus the reserve for the reply, tokens.
 * @param fixed Tokens of the system prompt and the tool definitions.
 * @param keep Tokens that a compaction keeps.
 * @param scale Multiplies all limits.
 */
export function messageLimits(budget: number, fixed: number, keep: number, scale = 1): MessageLimits {
  const any = coarse(Math.max(Math.max((budget - fixed) * MESSAGE_SHARE, budget / 8) * scale, MIN_MESSAGE));
  const ofKept = (share: number): number => Math.min(any, coarse(Math.max(keep * share * scale, MIN_MESSAGE)));
  return { any, kept: ofKept(0.5), unanswered: ofKept(0.75) };
}

/** Rounds down to three binary digits: small changes of the prompt must not change what earlier requests contained. */
function coarse(tokens: number): number {
  const step = 2 ** Math.max(Math.floor(Math.log2(tokens)) - 2, 0);
  return Math.floor(tokens / step) * step;
}
