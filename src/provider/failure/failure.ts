import type { FailureKind, ProviderFailure } from "../../core/provider.ts";
import { blamedTools } from "./blamed_tools.ts";
import { type FailureContext, failureMessage } from "./failure_message.ts";
import { isOverflow, windowIn } from "./overflow.ts";
import { retryAfterMs, windowMs } from "./retry_after.ts";
import { readServerError, saidIn, type ServerError } from "./server_error.ts";

/** What is known about an error that a server told. */
export interface ErrorFacts {
  /** HTTP status; absent for an error in the middle of a stream. */
  readonly status?: number;
  readonly headers?: Headers;
  /** The body, parsed where it was JSON. */
  readonly body: unknown;
}

interface Verdict {
  readonly kind: FailureKind;
  readonly retry: boolean;
}

/** Money or a plan's allowance, not speed: waiting does not help within a run. */
const SPENT: ReadonlySet<string> = new Set([
  "insufficient_quota",
  "billing_hard_limit_reached",
  "billing_not_active",
  "1113", // Z.ai: no balance
  "1308", // Z.ai: plan, resets after hours
  "1310",
]);
const SPENT_TEXT =
  /insufficient (?:balance|credits?|funds|quota)|(?:balance|credits?) (?:is |are )?(?:exhausted|too low|not enough)/i;

/** Codes and types of errors that came without a status, in the middle of a stream. */
const BY_CODE: readonly (readonly [RegExp, Verdict])[] = [
  [/rate_limit|too_many_requests|resource_exhausted|rate_limited/i, { kind: "rate_limit", retry: true }],
  [/content_filter|content_policy|responsible_ai|data_inspection/i, { kind: "content_filter", retry: false }],
  // A model's unparseable call, not the request's fault: the next sample may be fine.
  [/tool_use_failed/i, { kind: "bad_request", retry: true }],
  [/auth|api_key|permission/i, { kind: "auth", retry: false }],
  [/overload|unavailable|server_error|internal|timeout|disconnect|no_capacity/i, { kind: "overload", retry: true }],
  [/invalid_request|not_found|invalid_parameter|bad_?request/i, { kind: "bad_request", retry: false }],
];

function byStatus(status: number): Verdict {
  if (status === 401 || status === 403) return { kind: "auth", retry: false };
  if (status === 402) return { kind: "rate_limit", retry: false };
  if (status === 408) return { kind: "network", retry: true };
  if (status === 409 || status === 425) return { kind: "overload", retry: true };
  if (status === 429) return { kind: "rate_limit", retry: true };
  if (status === 501 || status === 505) return { kind: "bad_request", retry: false };
  return status >= 500 ? { kind: "overload", retry: true } : { kind: "bad_request", retry: false };
}

function judge(status: number | undefined, error: ServerError, waitMs: number | undefined): Verdict {
  const words = [error.code ?? "", error.type ?? ""];
  if (isOverflow({ ...error, ...(status === undefined ? {} : { status }) })) {
    return { kind: "context_overflow", retry: false };
  }
  const isSpent = words.some((word) => SPENT.has(word)) || SPENT_TEXT.test(error.message);
  if (isSpent && (status === undefined || status === 429 || status === 402 || status === 400)) {
    return { kind: "rate_limit", retry: false };
  }
  if (status !== undefined) {
    const named = BY_CODE.find(([pattern, { kind }]) =>
      (kind === "content_filter" || pattern.source === "tool_use_failed") && words.some((word) => pattern.test(word))
    );
    if (named && status < 500) return named[1];
    const verdict = byStatus(status);
    // "You exceeded your current quota" without a code is money, unless the server says when to come back.
    const isQuota = status === 429 && waitMs === undefined && /exceeded your current quota/i.test(error.message);
    return isQuota ? { ...verdict, retry: false } : verdict;
  }
  for (const word of [...words, error.message]) {
    const found = BY_CODE.find(([pattern]) => pattern.test(word.replaceAll(" ", "_")));
    if (found) return found[1];
  }
  return { kind: "overload", retry: true };
}

/** The failure that an error reply, or an error inside a stream, amounts to. Never throws; holds no key. */
export function failureOf(facts: ErrorFacts, context: FailureContext): ProviderFailure {
  const error = readServerError(facts.body);
  const status = facts.status ?? error.status;
  const waitMs = retryAfterMs(facts.headers, error, context.now);
  const verdict = judge(status, error, waitMs);
  const advice = facts.headers?.get("x-should-retry");
  const retry = verdict.kind === "context_overflow" || advice === "false" ? false : verdict.retry;
  const contextWindow = verdict.kind === "context_overflow" ? windowIn(error) : undefined;
  const delayMs = waitMs ?? (status === 429 ? windowMs(facts.headers, context.now) : undefined);
  const isAboutRequest = verdict.kind === "bad_request" || verdict.kind === "overload";
  const tools = isAboutRequest ? blamedTools(saidIn(facts.body), (context.tools ?? []).map(({ name }) => name)) : [];
  return {
    kind: verdict.kind,
    message: failureMessage(verdict.kind, {
      ...context,
      serverText: error.message,
      blamed: tools,
      ...(status ? { status } : {}),
    }),
    retry,
    ...(tools.length > 0 ? { tools } : {}),
    ...(status === undefined ? {} : { status }),
    // A quota that is spent is no reason to wait now, but the person learns when it is there again.
    ...((retry || verdict.kind === "rate_limit") && delayMs !== undefined ? { retryAfterMs: delayMs } : {}),
    ...(contextWindow === undefined ? {} : { contextWindow }),
  };
}
