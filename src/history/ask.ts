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
async function askOnce(question: Question, { provider, thinking, now, signal }: AskDeps): Promise<Answer> {
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

/** Attempts after the first one, and the waits before them. Milliseconds. */
const WAITS = [1000, 4000] as const;

/** A server that asks for more is not asked again. */
const LONGEST_WAIT = 60_000;

/** All answers, or the failure of the first question that has none. */
export type Answers =
  | { readonly ok: true; readonly texts: readonly string[]; readonly usage?: Usage }
  | { readonly ok: false; readonly failure: ProviderFailure; readonly usage?: Usage };

/**
 * Asks several questions at the same time; what a busy server refused is asked again one after the other (R289).
 *
 * A failure that is final ends the other requests.
 */
export async function askAll(questions: readonly Question[], deps: AskDeps): Promise<Answers> {
  const others = new AbortController();
  const signal = AbortSignal.any([deps.signal, others.signal]);
  let usage: Usage | undefined;
  const spend = (answer: Answer): Answer => {
    usage = addUsage(usage, answer.usage);
    return answer;
  };
  let final: ProviderFailure | undefined;
  const answers = await Promise.all(questions.map(async (question) => {
    const answer = spend(await askOnce(question, { ...deps, signal }));
    if (!answer.ok && !answer.failure.retry) {
      final ??= answer.failure;
      others.abort();
    }
    return answer;
  }));

  const texts: string[] = [];
  for (const [index, question] of questions.entries()) {
    let answer = answers[index];
    for (const wait of WAITS) {
      if (final || !answer || answer.ok || !answer.failure.retry) break;
      const ms = Math.max(wait, answer.failure.retryAfterMs ?? 0);
      if (ms > LONGEST_WAIT) break;
      await deps.sleep(ms, deps.signal);
      answer = spend(await askOnce(question, deps));
    }
    if (answer && !answer.ok) final ??= answer.failure;
    if (answer?.ok) texts.push(answer.text);
  }
  const spent = usage ? { usage } : {};
  return final ? { ok: false, failure: final, ...spent } : { ok: true, texts, ...spent };
}

/** The sum of two usages; costs only where both or the only one has them. */
function addUsage(a: Usage | undefined, b: Usage | undefined): Usage | undefined {
  if (!a || !b) return a ?? b;
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    ...(a.reasoningTokens ?? b.reasoningTokens
      ? { reasoningTokens: (a.reasoningTokens ?? 0) + (b.reasoningTokens ?? 0) }
      : {}),
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    totalTokens: a.totalTokens + b.totalTokens,
    ...(a.cost && b.cost
      ? {
        cost: {
          input: a.cost.input + b.cost.input,
          output: a.cost.output + b.cost.output,
          cacheRead: a.cost.cacheRead + b.cost.cacheRead,
          total: a.cost.total + b.cost.total,
        },
      }
      : {}),
  };
}
