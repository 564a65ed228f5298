/** Milliseconds in a duration as servers write it: `10s`, `1.5s`, `500ms`, `6m0s`; `undefined` for anything else. */
export function parseDuration(text: string): number | undefined {
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

/** Where a wait may stand besides the headers. */
export interface RetryHints {
  /** `details[].retryDelay` of the body (Gemini). */
  readonly retryDelay?: string;
  readonly message: string;
}

/**
 * How long a server asked to wait, milliseconds: `retry-after-ms`, `retry-after` in seconds or as a date, the body's
 * delay, the message's words; the first that can be read wins.
 */
export function retryAfterMs(headers: Headers | undefined, hints: RetryHints, now: number): number | undefined {
  const exact = headers?.get("retry-after-ms")?.trim();
  const plain = headers?.get("retry-after")?.trim();
  const spoken = /(?:retry|try again) (?:after|in) (\d+(?:\.\d+)?) ?(ms|seconds?|s)\b/i.exec(hints.message);
  return (exact && /^\d+(\.\d+)?$/.test(exact) ? positive(Number(exact)) : undefined) ??
    (plain ? fromHeader(plain, now) : undefined) ??
    (hints.retryDelay === undefined ? undefined : positive(parseDuration(hints.retryDelay))) ??
    (spoken ? positive(Number(spoken[1]) * (spoken[2] === "ms" ? 1 : 1000)) : undefined);
}
