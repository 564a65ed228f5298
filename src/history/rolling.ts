import type { AgentMessage, Usage } from "../core/message.ts";
import type { Manifest } from "../core/compiled_prompt.ts";
import type { Provider } from "../core/provider.ts";
import { askAll, type AskDeps } from "./ask.ts";
import { fitConversation } from "./serialize.ts";
import {
  type LoadedHistory,
  loadHistory,
  type RollingInput,
  type StoredSummary,
  storedSummary,
} from "./loaded_history.ts";
import { rollingPrompt, SUMMARY_SYSTEM } from "./prompts.ts";
import { countTokens, messageBound, messageTokens, tokenBound } from "./tokens.ts";
import { windowBudget } from "./window.ts";

/** Who compresses, and within which limits. Tokens. */
export interface RollingOptions extends AskDeps {
  /** Compresses instead of `provider`, the session's own (R311). */
  readonly summaryProvider?: Provider;
  readonly contextWindow: number;
  readonly responseReserveTokens: number;
}

/** What of the history goes out with a prompt and all its rounds (R322). */
export interface RollingSelection {
  readonly decision: Manifest["history"]["decision"];
  readonly messages: readonly AgentMessage[];
  /** Goes out as a system message of its own, before `messages` (R312, R313); starts with "Summary of earlier conversation:". */
  readonly systemSummary?: string;
  /** To be stored with the session (R316). */
  readonly newSummary?: StoredSummary;
  readonly usage?: Usage;
  /** Why compression failed. */
  readonly problem?: string;
}

/** Instructions around the conversation, tokens; generous. */
const PROMPT_TOKENS = 1000;

/**
 * Selects the history of one prompt (R304–R322): everything below 80 % of the budget, else a summary of about 10 %, else
 * the newest turns that fit.
 *
 * Throws a UserError when the reserve leaves no budget; never for what a provider does.
 */
export async function selectRolling(input: RollingInput, options: RollingOptions): Promise<RollingSelection> {
  const budget = windowBudget(options.contextWindow, options.responseReserveTokens);
  const stored = storedSummary(input.path);
  const history = loadHistory(input, stored);
  if (await isBelowThreshold(history, stored, budget, options.signal)) {
    const decision = history.isCut ? "truncated" : "full";
    return { decision, messages: [...history.messages, ...history.pending], ...systemPart(stored) };
  }
  const answer = await compress(history, stored, budget, options);
  const usage = answer.usage ? { usage: answer.usage } : {};
  const covered = history.lastEntryId ?? stored?.coveredThrough;
  if (!answer.ok || covered === undefined) {
    const problem = answer.ok ? "There is no entry to attach a summary to" : answer.failure.message;
    return { ...await truncate(history, stored, budget, options.signal), ...usage, problem };
  }
  const newSummary = { summary: answer.texts[0] ?? "", coveredThrough: covered };
  return { decision: "compressed", messages: history.pending, ...systemPart(newSummary), newSummary, ...usage };
}

/** Exactly 80 % is not below (R308, R309). The cheap bound decides for short conversations. */
async function isBelowThreshold(
  { messages }: LoadedHistory,
  stored: StoredSummary | undefined,
  budget: number,
  signal: AbortSignal,
): Promise<boolean> {
  const isBelow = (tokens: number): boolean => tokens * 10 < budget * 8;
  const summary = stored?.summary ?? "";
  if (isBelow(messages.reduce((sum, message) => sum + messageBound(message), tokenBound(summary)))) return true;
  return isBelow(await tokensOf(messages, signal) + await countTokens(summary, signal));
}

async function compress(
  { messages }: LoadedHistory,
  stored: StoredSummary | undefined,
  budget: number,
  options: RollingOptions,
): ReturnType<typeof askAll> {
  const { signal, provider, summaryProvider = provider } = options;
  const target = Math.max(1, Math.floor(budget / 10));
  const room = budget - tokenBound(stored?.summary ?? "") - PROMPT_TOKENS;
  const conversation = await fitConversation(messages, Math.max(room, 1000), signal);
  const text = rollingPrompt(conversation, stored?.summary, target);
  const answers = await askAll([{ system: SUMMARY_SYSTEM, text, maxTokens: options.responseReserveTokens }], {
    ...options,
    provider: summaryProvider,
  });
  // A summary above the threshold would be compressed again with every prompt.
  const [summary = ""] = answers.ok ? answers.texts : [];
  if (await countTokens(summary, signal) * 10 < budget * 8) return answers;
  const { usage } = answers;
  const failure = { kind: "bad_request", message: "The summary is too long to be of use", retry: false } as const;
  return { ok: false, failure, ...(usage ? { usage } : {}) };
}

/** The stored summary if it fits, then the newest turns while they fit, in their order (R314, R315). */
async function truncate(
  { messages, turns, isCut, pending }: LoadedHistory,
  stored: StoredSummary | undefined,
  budget: number,
  signal: AbortSignal,
): Promise<RollingSelection> {
  const taken = await countTokens(stored?.summary ?? "", signal);
  const kept = taken <= budget ? stored : undefined;
  let room = budget - (kept ? taken : 0);
  let from = messages.length;
  for (const turn of turns.toReversed()) {
    room -= await tokensOf(messages.slice(turn.from, turn.to), signal);
    if (room < 0) break;
    from = turn.from;
  }
  const isWhole = from === 0 && kept === stored && !isCut;
  const sent = [...messages.slice(from), ...pending];
  return { decision: isWhole ? "full" : "truncated", messages: sent, ...systemPart(kept) };
}

async function tokensOf(messages: readonly AgentMessage[], signal: AbortSignal): Promise<number> {
  let tokens = 0;
  for (const message of messages) tokens += await messageTokens(message, signal);
  return tokens;
}

function systemPart(stored: StoredSummary | undefined): { readonly systemSummary?: string } {
  return stored ? { systemSummary: `Summary of earlier conversation:\n${stored.summary}` } : {};
}
