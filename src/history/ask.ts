import { messageOf } from "../core/error.ts";
import { type AssistantMessage, textOf, toolCallsOf, type Usage } from "../core/message.ts";
import type { Provider, ProviderFailure, ThinkingLevel } from "../core/provider.ts";

/** One question to a model. */
export interface Question {
  readonly system: string;
  readonly text: string;
  readonly maxTokens: number;
}

/** Who is asked, and the world that asking needs. */
export interface AskDeps {
  readonly provider: Provider;
  readonly thinking: ThinkingLevel;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Settles after `ms` or when `signal` aborts, whichever is first; never rejects. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
}

/** A whole answer or the reason why there is none; `usage` is what was spent either way. */
export type Answer =
  | { readonly ok: true; readonly text: string; readonly usage?: Usage }
  | { readonly ok: false; readonly failure: ProviderFailure; readonly usage?: Usage };

/** Asks once. Half an answer, an empty one and a tool call are failures: nothing of them may be stored (R298, R320). */
export async function askOnce(question: Question, { provider, thinking, now, signal }: AskDeps): Promise<Answer> {
  if (signal.aborted) return { ok: false, failure: ABORTED };
  const request = {
    system: { stable: question.system, dynamic: "" },
    messages: [{ role: "user", content: question.text, timestamp: now() } as const],
    tools: [],
    thinking,
    maxTokens: question.maxTokens,
  };
  try {
    for await (const event of provider.stream(request, signal)) {
      if (event.type === "end") return answerOf(event.message, signal);
    }
  } catch (error) { // a provider must not throw; one that does must not take the session with it
    return { ok: false, failure: signal.aborted ? ABORTED : failure(messageOf(error), false) };
  }
  return { ok: false, failure: failure("The reply stopped without an end", true) };
}

const ABORTED: ProviderFailure = { kind: "aborted", message: "Stopped", retry: false };

function answerOf(message: AssistantMessage, signal: AbortSignal): Answer {
  const usage = message.usage ? { usage: message.usage } : {};
  const failed = (failure: ProviderFailure): Answer => ({ ok: false, failure, ...usage });
  if (message.stopReason === "aborted" || signal.aborted) return failed(ABORTED);
  if (message.stopReason === "error") {
    return failed(message.failure ?? failure(message.errorMessage ?? "The reply failed", false));
  }
  if (message.stopReason === "length") return failed(failure("The summary did not fit into the output limit", false));
  if (toolCallsOf(message).length > 0) {
    return failed(failure("The model called a tool instead of writing a summary", false));
  }
  const text = textOf(message.content).trim();
  return text === "" ? failed(failure("The model gave an empty summary", false)) : { ok: true, text, ...usage };
}

function failure(message: string, retry: boolean): ProviderFailure {
  return { kind: "bad_request", message, retry };
}
