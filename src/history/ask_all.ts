import type { Usage } from "../core/message.ts";
import type { ProviderFailure } from "../core/provider.ts";
import { type Answer, type AskDeps, askOnce, type Question } from "./ask.ts";

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
