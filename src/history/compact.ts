import type { CompactionResult } from "../core/event.ts";
import type { AgentMessage, Usage } from "../core/message.ts";
import type { ProviderFailure } from "../core/provider.ts";
import { appendixDetails, withAppendix, withoutAppendix } from "./appendix.ts";
import { askAll, type AskDeps, type Question } from "./ask.ts";
import { fitConversation } from "./serialize.ts";
import type { CompactionPlan } from "./plan.ts";
import { createPrompt, SUMMARY_SYSTEM, turnPrefixPrompt, updatePrompt } from "./prompts.ts";
import { tokenBound } from "./tokens.ts";
import { windowBudget } from "./window.ts";

/** Of the reserve, how much a summary and the summary of a turn's beginning may take. */
const HISTORY_SHARE = 0.8;
const PREFIX_SHARE = 0.5;

/** However small the reserve: less than this holds no summary. */
const LEAST_OUTPUT = 1024;

/** Instructions around the conversation, tokens; generous. */
const PROMPT_TOKENS = 1500;

/** Who summarises, and within which limits. Tokens. */
export interface CompactOptions extends AskDeps {
  readonly contextWindow: number;
  readonly reserveTokens: number;
  /** The model's own limit, where it is known. */
  readonly maxOutputTokens?: number;
  /** What the person wants the summary to dwell on (R297). */
  readonly focus?: string;
}

/** What came of it. Only `compacted` may be stored; `failed` and `aborted` leave everything as it was (R298). */
export type CompactionOutcome =
  | { readonly type: "compacted"; readonly result: CompactionResult; readonly usage?: Usage }
  | { readonly type: "failed"; readonly failure: ProviderFailure; readonly usage?: Usage }
  | { readonly type: "aborted"; readonly usage?: Usage };

/**
 * Has the planned part of a conversation summarised (R279–R290). Never throws for what a provider does.
 *
 * A cut through a turn takes two requests at the same time: one for the turns before, one for the turn's beginning.
 */
export async function compactCheckpoint(plan: CompactionPlan, options: CompactOptions): Promise<CompactionOutcome> {
  const questions = await questionsOf(plan, options);
  const answers = await askAll(questions, options);
  const spent = answers.usage ? { usage: answers.usage } : {};
  if (options.signal.aborted) return { type: "aborted", ...spent };
  if (!answers.ok) return { type: "failed", failure: answers.failure, ...spent };
  return {
    type: "compacted",
    result: {
      summary: withAppendix(merged(plan, answers.texts), plan.appendix),
      firstKeptEntryId: plan.firstKeptEntryId,
      tokensBefore: plan.tokensBefore,
      details: appendixDetails(plan.appendix),
    },
    ...spent,
  };
}

/**
 * A summary that somebody else wrote, with what is counted and not remembered at its end: the next compaction reads it from the
 * details. Details of the author stay.
 */
export function withPlanAppendix(result: CompactionResult, { appendix }: CompactionPlan): CompactionResult {
  const { readFiles, modifiedFiles, skills } = appendix;
  if (readFiles.length + modifiedFiles.length + skills.length === 0) return result;
  return {
    ...result,
    summary: withAppendix(withoutAppendix(result.summary), appendix),
    details: { ...appendixDetails(appendix), ...result.details },
  };
}

async function questionsOf(plan: CompactionPlan, options: CompactOptions): Promise<readonly Question[]> {
  const { history, turnPrefix, previousSummary } = plan;
  const { focus } = options;
  const questions: Question[] = [];
  if (history.length > 0) {
    const taken = previousSummary === undefined ? 0 : tokenBound(previousSummary);
    questions.push(
      await question(
        history,
        HISTORY_SHARE,
        taken,
        options,
        (text) =>
          previousSummary === undefined ? createPrompt(text, focus) : updatePrompt(text, previousSummary, focus),
      ),
    );
  }
  if (turnPrefix.length > 0) {
    const own = history.length > 0 ? undefined : focus;
    questions.push(await question(turnPrefix, PREFIX_SHARE, 0, options, (text) => turnPrefixPrompt(text, own)));
  }
  return questions;
}

async function question(
  messages: readonly AgentMessage[],
  share: number,
  taken: number,
  { reserveTokens, contextWindow, maxOutputTokens = Infinity, focus = "", signal }: CompactOptions,
  prompt: (conversation: string) => string,
): Promise<Question> {
  const room = windowBudget(contextWindow, reserveTokens) - taken - PROMPT_TOKENS - tokenBound(focus);
  const conversation = await fitConversation(messages, Math.max(room, 1000), signal);
  const maxTokens = Math.min(Math.max(Math.floor(reserveTokens * share), LEAST_OUTPUT), maxOutputTokens);
  return { system: SUMMARY_SYSTEM, text: prompt(conversation), maxTokens };
}

/** The history's summary, a rule, and the turn's (R290). */
function merged({ history, turnPrefix, previousSummary }: CompactionPlan, texts: readonly string[]): string {
  const [first = "", second = ""] = texts;
  if (turnPrefix.length === 0) return first;
  const before = history.length > 0 ? first : previousSummary ?? "Nothing came before this turn.";
  const turn = history.length > 0 ? second : first;
  return `${before}\n\n---\n\n**Turn Context (split turn):**\n\n${turn}`;
}
