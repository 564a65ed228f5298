import type { CompiledRound } from "./deps.ts";
import { continuationOf, joinReplies } from "./joined_reply.ts";
import { metered } from "./limits.ts";
import { emptyReply, type RunState } from "./run_state.ts";
import { messageOf } from "../core/error.ts";
import type { AgentEvent } from "../core/event.ts";
import { type AssistantMessage, isPlain, textOf, toolCallsOf } from "../core/message.ts";
import type { ProviderFailure, ProviderRequest } from "../core/provider.ts";
import { loadZod } from "../core/tool.ts";

/**
 * Asks the model until there is a reply: retries failures that may pass, continues a reply that was cut, and streams
 * it. The caller emits the reply's `message_end`, because it decides what of the reply is kept. R238, R251–R256, R299.
 */
export async function* takeReply(run: RunState): AsyncGenerator<AgentEvent, AssistantMessage> {
  const { deps, signal } = run;
  let view = createReplyView(emptyReply(deps));
  const conclusion = run.concluding ? { finalAnswer: true, withoutTools: true } as const : {};
  let said: AssistantMessage | undefined;
  let continuations = 0;
  let retries = 0;
  let overflows = 0;
  let waitedMs = 0;
  const rejections = deps.toolRejections?.();
  let round = run.nextRound(conclusion);
  let compiled = deps.compile(round);

  for (;;) {
    view.startAttempt();
    let end: AssistantMessage | undefined;
    if (signal.aborted) {
      end = { ...emptyReply(deps), stopReason: "aborted" };
    } else {
      const request = await requestOf(compiled, said, run);
      yield { type: "prompt_compiled", manifest: compiled.prompt.manifest };
      try {
        for await (const event of deps.provider.stream(request, signal)) {
          if (event.type === "end") {
            end = event.message;
          } else if (event.type === "notice") {
            yield { type: "notice", level: "warning", message: event.message };
          } else {
            if (view.isBlank()) yield* view.open(said);
            yield { type: "message_update", assistantMessageEvent: event };
          }
        }
      } catch (error) {
        end = failed(run, { kind: "bad_request", message: messageOf(error), retry: false });
      }
    }
    end ??= failed(run, { kind: "network", message: "The reply stopped without an end", retry: true });
    // Some adapters report an abort as a broken connection.
    if (end.stopReason === "error" && signal.aborted) end = { ...end, stopReason: "aborted" };
    run.meter.addUsage(end.usage);

    const failure = end.stopReason === "error" ? failureOf(end) : undefined;
    if (failure?.kind === "context_overflow" && deps.onOverflow && overflows < MAX_OVERFLOWS) {
      overflows++;
      yield* view.discard(end);
      if (yield* metered(deps.onOverflow(failure, signal), run.meter)) {
        compiled = deps.compile(round);
        continue;
      }
    }
    const failing = failure && await import("./retry.ts");
    if (failing && failure.retry) {
      const { maxDelayMs, maxWaitMs = maxDelayMs } = deps.retry;
      // With another model to fall back to, retries of one model are kept short.
      const settings = deps.fallback?.isThere()
        ? { ...deps.retry, maxWaitMs: Math.min(maxDelayMs, maxWaitMs) }
        : deps.retry;
      const delayMs = failing.retryDelay(retries + 1, settings, failure.retryAfterMs, deps.random(), waitedMs);
      if (delayMs !== undefined) {
        retries++;
        waitedMs += delayMs;
        yield* view.discard(end);
        const { maxRetries: maxAttempts } = deps.retry;
        yield { type: "auto_retry_start", attempt: retries, maxAttempts, delayMs, errorMessage: failure.message };
        await deps.sleep(delayMs, signal);
        continue;
      }
    }
    if (failure && rejections?.leaveOut(failure)) {
      yield* view.discard(end);
      compiled = deps.compile(round);
      continue;
    }
    for (const message of rejections?.settle(end.stopReason !== "error" && end.stopReason !== "aborted") ?? []) {
      yield { type: "notice", level: "warning", message };
    }
    if (failing) {
      const final = failing.givenUp(failure, deps.now());
      end = { ...end, failure: final, errorMessage: final.message };
    }
    if (retries > 0) yield retryEnd(retries, end);
    retries = 0;
    if (failure && REFUSED.has(failure.kind) && deps.fallback?.isThere()) {
      yield* view.discard(end);
      if (yield* deps.fallback.take(failure, signal)) {
        waitedMs = 0;
        view = createReplyView(emptyReply(deps)); // the message is another model's
        compiled = deps.compile(round);
        continue;
      }
    }

    const reply = joinReplies(said, end);
    const isCut = end.stopReason === "length" && toolCallsOf(end).length === 0;
    if (!isCut || continuations >= (deps.limits.maxContinuations ?? 3)) {
      yield* view.open(said);
      return reply;
    }
    said = reply;
    continuations++;
    round = run.nextRound({ ...conclusion, continuation: true });
    compiled = deps.compile(round);
  }
}

/** Attempts to make a request shorter that the server rejects as too long. */
const MAX_OVERFLOWS = 5;

/** Failures for which another model is asked: the one refuses for its load or for a quota. */
const REFUSED: ReadonlySet<ProviderFailure["kind"]> = new Set(["overload", "rate_limit"]);

/** Exactly system prompt, conversation and active tools (R58, R236), and what a continuation needs. */
async function requestOf(
  { prompt, tools }: CompiledRound,
  said: AssistantMessage | undefined,
  { deps, session, signal, isBound }: RunState,
): Promise<ProviderRequest> {
  const messages = deps.transformContext
    ? await deps.transformContext(session.messages, signal)
    : session.messages.filter(isPlain);
  const rest = said ? continuationOf(said) : [];
  return {
    system: { stable: prompt.stable, dynamic: prompt.dynamic },
    messages: rest.length > 0 ? [...messages, ...rest] : messages,
    tools,
    thinking: deps.thinking,
    ...(deps.cacheKey === undefined ? {} : { cacheKey: deps.cacheKey }),
    ...(deps.maxTokens === undefined ? {} : { maxTokens: deps.maxTokens }),
    // The continuation of a cut answer is not valid JSON by itself.
    ...(isBound && deps.answerSchema && rest.length === 0 ? { answerSchema: deps.answerSchema } : {}),
  };
}

function failed({ deps }: RunState, failure: ProviderFailure): AssistantMessage {
  return { ...emptyReply(deps), stopReason: "error", failure, errorMessage: failure.message };
}

function failureOf({ failure, errorMessage }: AssistantMessage): ProviderFailure {
  return failure ?? { kind: "network", message: errorMessage ?? "The reply failed", retry: false };
}

function retryEnd(attempt: number, end: AssistantMessage): AgentEvent {
  const success = end.stopReason !== "error" && end.stopReason !== "aborted";
  const finalError = end.stopReason === "aborted" ? "The run was stopped" : failureOf(end).message;
  return { type: "auto_retry_end", success, attempt, ...(success ? {} : { finalError }) };
}

/** Shows a reply as one message, over all the requests that it takes. */
export interface ReplyView {
  /** A request is about to be made. */
  startAttempt(): void;
  /** Whether nothing of the attempt at hand was shown yet: then `open` comes first. */
  isBlank(): boolean;
  /** Begins the message if it is not there; `said` is shown again where it was taken back. */
  open(said: AssistantMessage | undefined): Generator<AgentEvent>;
  /** Takes back what was shown when the attempt at hand is made again. */
  discard(failed: AssistantMessage): Generator<AgentEvent>;
}

/** A reply of which nothing was shown yet; `empty` is the message that it starts as. */
function createReplyView(empty: AssistantMessage): ReplyView {
  let isOpen = false;
  let isBlank = true;
  return {
    startAttempt() {
      isBlank = true;
    },
    isBlank: () => isBlank,
    *open(said) {
      isBlank = false;
      if (isOpen) return;
      isOpen = true;
      // Loads what checks tool arguments while the rest of the reply arrives.
      loadZod().catch(() => {});
      yield { type: "message_start", message: empty };
      const delta = textOf(said?.content ?? "");
      if (delta) yield { type: "message_update", assistantMessageEvent: { type: "text_delta", delta } };
    },
    *discard(failed) {
      if (isBlank) return;
      isOpen = false;
      yield { type: "message_end", message: failed, discarded: true };
    },
  };
}
