import { UserError } from "../core/error.ts";

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
