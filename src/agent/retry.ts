/** When and how often a failed request is made again. Times in milliseconds. */
export interface RetrySettings {
  /** Attempts after the first one; 0 turns retries off. */
  readonly maxRetries: number;
  readonly baseDelayMs: number;
  /** No wait is longer; a server that asks for more is not asked again. */
  readonly maxDelayMs: number;
}

/** Share of a wait that is left to chance, so that many clients do not come back at once. */
const JITTER = 0.25;

/**
 * Milliseconds to wait before retry `attempt` (from 1), or undefined when there is none.
 *
 * Doubles from `baseDelayMs`; never shorter than `retryAfterMs`. `random` is in [0, 1).
 */
export function retryDelay(
  attempt: number,
  settings: RetrySettings,
  retryAfterMs: number | undefined,
  random: number,
): number | undefined {
  const { maxRetries, baseDelayMs, maxDelayMs } = settings;
  if (attempt > maxRetries) return undefined;
  if (retryAfterMs !== undefined && retryAfterMs > maxDelayMs) return undefined;
  const backoff = Math.min(baseDelayMs * 2 ** (attempt - 1), maxDelayMs);
  const wait = backoff * (1 - JITTER * random);
  return Math.round(Math.max(wait, retryAfterMs ?? 0));
}
