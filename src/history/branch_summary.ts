import type { AgentMessage, Usage } from "../core/message.ts";
import type { ProviderFailure } from "../core/provider.ts";
import { type BranchSummaryEntry, messagesOf, type NewEntry, type SessionEntry } from "../core/session.ts";
import { appendixDetails, appendixOf, withAppendix } from "./appendix.ts";
import { askAll, type AskDeps } from "./ask.ts";
import { branchPrompt, SUMMARY_SYSTEM } from "./prompts.ts";
import { SERIALIZE_LIMITS, serializeMessages } from "./serialize.ts";
import { countTokens, tokenBound } from "./tokens.ts";
import { windowBudget } from "./window.ts";

/** Longest single message in the request, characters: one must not take the room of all others. */
const LONGEST_TEXT = 20_000;

/** Longest summary of a branch, tokens. */
const MAX_OUTPUT = 4096;

/** Who summarises a branch, and within which limits. Tokens. */
export interface BranchOptions extends AskDeps {
  readonly contextWindow: number;
  readonly reserveTokens: number;
  /** What the person wants the summary to dwell on. */
  readonly focus?: string;
  /** Stand for the usual instructions about form and content. */
  readonly instructions?: string;
}

/** What came of it; `summarized` is to be appended at the new position. */
export type BranchOutcome =
  | { readonly type: "summarized"; readonly entry: NewEntry<BranchSummaryEntry> }
  | { readonly type: "refused"; readonly message: string }
  | { readonly type: "failed"; readonly failure: ProviderFailure; readonly usage?: Usage }
  | { readonly type: "aborted"; readonly usage?: Usage };

/**
 * Summarises what is left behind when the leaf moves: the entries of the old path that the new one does not share (R327).
 *
 * Both paths begin with the session's first entry. Newest messages come into the request first, while there is room;
 * results of tools are left out.
 */
export async function summarizeBranch(
  oldPath: readonly SessionEntry[],
  newPath: readonly SessionEntry[],
  options: BranchOptions,
): Promise<BranchOutcome> {
  const left = leftEntries(oldPath, newPath);
  const messages = messagesOf(left).map(({ message }) => message);
  const fromId = left.at(-1)?.id;
  if (fromId === undefined || !messages.some(({ role }) => role === "assistant" || role === "user")) {
    return { type: "refused", message: "There is nothing to summarise: no message is left behind" };
  }
  const room = windowBudget(options.contextWindow, options.reserveTokens);
  const { focus, instructions, signal } = options;
  const text = branchPrompt(await newestText(messages, room, signal), focus, instructions);
  const maxTokens = Math.max(1, Math.min(MAX_OUTPUT, options.reserveTokens));
  const answers = await askAll([{ system: SUMMARY_SYSTEM, text, maxTokens }], options);
  const spent = answers.usage ? { usage: answers.usage } : {};
  if (options.signal.aborted) return { type: "aborted", ...spent };
  if (!answers.ok) return { type: "failed", failure: answers.failure, ...spent };
  const appendix = appendixOf(messages);
  const summary = withAppendix(answers.texts[0] ?? "", appendix);
  return {
    type: "summarized",
    entry: { type: "branch_summary", fromId, summary, details: appendixDetails(appendix), ...spent },
  };
}

/** The entries after the last one that both paths share. */
function leftEntries(
  oldPath: readonly SessionEntry[],
  newPath: readonly SessionEntry[],
): readonly SessionEntry[] {
  const shared = oldPath.findIndex((entry, index) => entry.id !== newPath[index]?.id);
  return shared < 0 ? [] : oldPath.slice(shared);
}

async function newestText(messages: readonly AgentMessage[], maxTokens: number, signal: AbortSignal): Promise<string> {
  const said = messages.filter(({ role }) => role !== "toolResult");
  const parts = serializeMessages(said, { ...SERIALIZE_LIMITS, text: LONGEST_TEXT });
  const whole = parts.join("\n\n");
  if (tokenBound(whole) <= maxTokens) return whole;
  const chosen: string[] = [];
  let room = maxTokens;
  for (const part of parts.toReversed()) {
    room -= await countTokens(`${part}\n\n`, signal);
    if (room < 0) break;
    chosen.unshift(part);
  }
  return chosen.join("\n\n");
}
