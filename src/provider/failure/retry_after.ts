/** Milliseconds in a duration as servers write it: `10s`, `1.5s`, `500ms`, `6m0s`; `undefined` for anything else. */
function parseDuration(text: string): number | undefined {
  const match = /^(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?$/.exec(text.trim());
  if (!match || match[0] === "") return undefined;
  const [hours, minutes, seconds, ms] = match.slice(1).map((part) => Number(part ?? 0));
  return Math.round(((hours ?? 0) * 3600 + (minutes ?? 0) * 60 + (seconds ?? 0)) * 1000 + (ms ?? 0));
}

function positive(ms: number | undefined): number | undefined {
  return ms !== undefined && Number.isFinite(ms) && ms >= 0 ? Math.round(ms) : undefined;
}

function fromHeader(value: string, now: number): number | undefined {
  if (/^\d+(\.\d+)?$/.test(value)) return positive(Number(value) * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** The server's clock: one of the two may be hours off. */
function clockOf(headers: Headers | undefined, now: number): number {
  const date = Date.parse(headers?.get("date") ?? "");
  return Number.isNaN(date) ? now : date;
}

/** Where a wait may stand besides the headers. */
export interface RetryHints {
  /** `details[].retryDelay` of the body (Gemini). */
  readonly retryDelay?: string;
  readonly message: string;
}

/**
 * How long a server asked to wait, milliseconds: `retry-after-ms`, `retry-after` in seconds or as a date, the body's
 * delay, the message's words; the first that can be read wins. A date counts by the server's own clock where its answer
 * tells that.
 */
export function retryAfterMs(headers: Headers | undefined, hints: RetryHints, now: number): number | undefined {
  const exact = headers?.get("retry-after-ms")?.trim();
  const plain = headers?.get("retry-after")?.trim();
  return (exact && /^\d+(\.\d+)?$/.test(exact) ? positive(Number(exact)) : undefined) ??
    (plain ? fromHeader(plain, clockOf(headers, now)) : undefined) ??
    (hints.retryDelay === undefined ? undefined : positive(parseDuration(hints.retryDelay))) ??
    positive(spokenMs(hints.message));
}

const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^ms|^millisecond/i, 1],
  [/^s/i, 1000],
  [/^m/i, 60_000],
  [/^h/i, 3_600_000],
  [/^d/i, 86_400_000],
];

/** A wait in words: `try again in 20ms`, `retry after 37 seconds`, `in 6m0s`, `in 1 hour`. */
function spokenMs(message: string): number | undefined {
  const spoken =
    /(?:retry|try again|retrying|available again|resets?) (?:after|in):? ((?:\d+h)?(?:\d+m)?\d+(?:\.\d+)?m?s\b|\d+(?:\.\d+)? ?(?:ms|milliseconds?|s|secs?|seconds?|mins?|minutes?|h|hours?|days?)\b)/i
      .exec(message)?.[1];
  if (spoken === undefined) return undefined;
  const plain = /^(\d+(?:\.\d+)?) ?([a-z]+)$/i.exec(spoken);
  if (!plain) return parseDuration(spoken);
  const unit = UNITS.find(([pattern]) => pattern.test(plain[2] ?? ""))?.[1];
  return unit === undefined ? undefined : Number(plain[1]) * unit;
}

/** Longer windows (an hour, a day) fill up bit by bit: waiting for their end would give up where trying again works. */
const LONGEST_WINDOW_MS = 60_000;

/**
 * Milliseconds until the spent windows of a rate limit begin anew, by headers such as `x-ratelimit-reset-tokens` or
 * `ratelimit-reset`: a duration, seconds, seconds or milliseconds since the epoch, or a date. It is a hint and no
 * request to wait, so one that is far away counts as none.
 */
export function windowMs(headers: Headers | undefined, now: number): number | undefined {
  const clock = clockOf(headers, now);
  const waits = [...headers ?? []].flatMap(([name, value]) => {
    if (!/(?:^|-)ratelimit-(?:[a-z]+-)*reset(?:-|$)/.test(name)) return [];
    // Without a count beside it the window is the one that was meant.
    if (Number(headers?.get(name.replace("reset", "remaining")) ?? 0) > 0) return [];
    const ms = untilReset(value.trim(), clock);
    return ms !== undefined && ms <= LONGEST_WINDOW_MS ? [ms] : [];
  });
  return waits.length === 0 ? undefined : Math.max(...waits);
}

function untilReset(value: string, now: number): number | undefined {
  if (!/^\d+(\.\d+)?$/.test(value)) {
    return parseDuration(value) ?? (/^\d{4}-|,/.test(value) ? fromHeader(value, now) : undefined);
  }
  const number = Number(value);
  if (number < 1e9) return positive(number * 1000);
  return Math.max(0, Math.round(number < 1e12 ? number * 1000 : number) - now);
}
