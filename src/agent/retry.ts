import type { ProviderFailure } from "../core/provider.ts";

/** When and how often a failed request is made again. Times in milliseconds. */
export interface RetrySettings {
  /** Attempts after the first one; 0 turns retries off. */
  readonly maxRetries: number;
  readonly baseDelayMs: number;
  /** Longest wait that the server did not ask for. */
  readonly maxDelayMs: number;
  /** Longest wait that the server asked for; `maxDelayMs` where absent. */
  readonly maxWaitMs?: number;
  /** All waits for one reply together; no bound where absent. */
  readonly patienceMs?: number;
}

/** Share of a wait that is random, so that many clients do not retry at the same moment. */
const JITTER = 0.25;

/**
 * Milliseconds to wait before retry `attempt` (from 1), or undefined when there is none.
 *
 * Doubles from `baseDelayMs`; never shorter than `retryAfterMs`. `random` is in [0, 1); `waitedMs` is what the reply at hand
 * has cost in waits by now.
 */
export function retryDelay(
  attempt: number,
  settings: RetrySettings,
  retryAfterMs: number | undefined,
  random: number,
  waitedMs = 0,
): number | undefined {
  const { maxRetries, baseDelayMs, maxDelayMs, maxWaitMs = maxDelayMs, patienceMs = Infinity } = settings;
  if (attempt > maxRetries) return undefined;
  if (retryAfterMs !== undefined && retryAfterMs > maxWaitMs) return undefined;
  const backoff = Math.min(baseDelayMs * 2 ** (attempt - 1), maxDelayMs);
  const wait = Math.round(Math.max(backoff * (1 - JITTER * random), retryAfterMs ?? 0));
  return waitedMs + wait > patienceMs ? undefined : wait;
}

/** A failure that is final, with the time at which to try again where the server named a wait. */
export function givenUp(failure: ProviderFailure, now: number): ProviderFailure {
  const { retryAfterMs: ms, message } = failure;
  if (ms === undefined || ms < 1000) return failure;
  return { ...failure, message: `${message} Try again at ${clock(now + ms, now)}, in ${span(ms)}.` };
}

/** A time of day by the machine's clock; with its date on another day. */
function clock(at: number, now: number): string {
  const [then, today] = [new Date(at), new Date(now)];
  const two = (value: number): string => String(value).padStart(2, "0");
  const time = `${two(then.getHours())}:${two(then.getMinutes())}`;
  const date = `${then.getFullYear()}-${two(then.getMonth() + 1)}-${two(then.getDate())}`;
  return then.toDateString() === today.toDateString() ? time : `${date} ${time}`;
}

/** A span for people, in its two largest units, never shorter than it is. */
function span(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h${minutes % 60 === 0 ? "" : ` ${minutes % 60} min`}`;
}
