import type { CompactionReason } from "../core/event.ts";
import type { AgentMessage } from "../core/message.ts";
import type { SessionEntry } from "../core/session.ts";
import { type Appendix, appendixOf, withoutAppendix } from "./appendix.ts";
import { type Cut, cutAfter, findCut } from "./cut.ts";
import { estimateContext, freshFrom } from "./estimate.ts";
import { sentTokens } from "./tokens.ts";
import { type LimitOf, type MessageLimits, NO_LIMITS } from "./window.ts";

/** A conversation and where it comes from. */
export interface CompactionInput {
  /** What the next request is made from; a summary, if there is one, comes first. */
  readonly messages: readonly AgentMessage[];
  /** Entry of each message, same order. */
  readonly entryIds: readonly string[];
  /** From the session's first entry to its leaf. */
  readonly path: readonly SessionEntry[];
  readonly reason: CompactionReason;
  /** Tokens of the newest messages to keep; see `keepBudget`. */
  readonly keepTokens: number;
  /** System prompt and tool definitions, for the estimate where no usage is told. */
  readonly fixed?: readonly string[];
  /** How much of a message goes into the next request; all of it when left out. */
  readonly limitOf?: LimitOf;
  /** The same after the compaction, for messages that it keeps. */
  readonly limits?: MessageLimits;
  readonly signal: AbortSignal;
}

/** What would be summarised and what stays; hooks see it before anything is asked. */
export interface CompactionPlan {
  readonly firstKeptEntryId: string;
  /** Whole turns; empty when the cut goes through the first one. */
  readonly history: readonly AgentMessage[];
  /** The beginning of the turn that the cut goes through; empty when it goes between turns. */
  readonly turnPrefix: readonly AgentMessage[];
  /** Without its lists of files. */
  readonly previousSummary?: string;
  readonly appendix: Appendix;
  readonly tokensBefore: number;
  /** The messages that stay. */
  readonly kept: readonly AgentMessage[];
}

/** A plan, or one sentence for the person about why there is nothing to do. */
export type Planned =
  | { readonly type: "plan"; readonly plan: CompactionPlan }
  | { readonly type: "refused"; readonly message: string };

/** Entries beside the conversation: after a compaction they change nothing about what there is to shorten. */
const BESIDE: ReadonlySet<string> = new Set([
  "model_change",
  "thinking_level_change",
  "custom",
  "label",
  "session_info",
]);

/** Plans a compaction; asks nobody and changes nothing. */
export async function planCompaction(input: CompactionInput): Promise<Planned> {
  const { messages, entryIds, path, signal } = input;
  // Nothing was said since the newest one.
  if (path.findLast((entry) => !BESIDE.has(entry.type))?.type === "compaction") {
    return refused("Nothing to compact: the conversation was compacted a moment ago");
  }
  const from = messages[0]?.role === "compactionSummary" ? 1 : 0;
  // What the model has not answered yet keeps more of its text.
  const answered = messages.findLastIndex(({ role }) => role === "assistant");
  const fresh = new Set(messages.slice(answered + 1));
  const { kept, unanswered } = input.limits ?? NO_LIMITS;
  const sizeOf = (message: AgentMessage): Promise<number> =>
    sentTokens(message, fresh.has(message) ? unanswered : kept, signal);
  const keep = await keepTokens(input, from, sizeOf);
  const cut = await findCut(messages, from, keep, sizeOf) ?? await cutAfterLongest(input, from, answered, kept);
  const firstKeptEntryId = cut && entryIds[cut.keptFrom];
  if (!cut || firstKeptEntryId === undefined) {
    return refused(`Nothing to compact: the last ${keep} tokens are always kept, and the conversation is not longer`);
  }
  const previous = path.findLast((entry) => entry.type === "compaction");
  const tokensBefore = await estimateContext(messages, {
    freshFrom: freshFrom(path, entryIds),
    ...(input.fixed ? { fixed: input.fixed } : {}),
    ...(input.limitOf ? { limitOf: input.limitOf } : {}),
    signal,
  });
  return {
    type: "plan",
    plan: {
      firstKeptEntryId,
      history: messages.slice(from, cut.turnFrom),
      turnPrefix: messages.slice(cut.turnFrom, cut.keptFrom),
      ...(previous ? { previousSummary: withoutAppendix(previous.summary) } : {}),
      appendix: appendixOf(messages.slice(from, cut.keptFrom), previous?.details, messages.slice(cut.keptFrom)),
      tokensBefore,
      kept: messages.slice(cut.keptFrom),
    },
  };
}

/** Where a conversation is cut that is too long because of one message alone, which the model has answered. */
async function cutAfterLongest(
  { messages, signal }: CompactionInput,
  from: number,
  answered: number,
  limit: number,
): Promise<Cut | undefined> {
  for (let index = answered; index >= from; index--) {
    const message = messages[index];
    if (message && await sentTokens(message, limit + 1, signal) > limit) {
      return cutAfter(messages, from, index);
    }
  }
  return undefined;
}

/** After an overflow less may have to stay than the settings say: the window is smaller than anybody knew. */
async function keepTokens(
  { messages, reason, keepTokens }: CompactionInput,
  from: number,
  sizeOf: (message: AgentMessage) => Promise<number>,
): Promise<number> {
  if (reason !== "overflow") return keepTokens;
  let total = 0;
  for (const message of messages.slice(from)) total += await sizeOf(message);
  return Math.max(1, Math.min(keepTokens, Math.floor(total / 2)));
}

function refused(message: string): Planned {
  return { type: "refused", message };
}
