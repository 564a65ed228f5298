import type { CompactionReason } from "../core/event.ts";
import type { AgentMessage } from "../core/message.ts";
import type { SessionEntry } from "../core/session.ts";
import { type Appendix, appendixOf, withoutAppendix } from "./appendix.ts";
import { findCut } from "./cut.ts";
import { estimateContext, freshFrom } from "./estimate.ts";
import { messageTokens } from "./tokens.ts";

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
    return refused("The conversation was shortened a moment ago and nothing was said since");
  }
  const from = messages[0]?.role === "compactionSummary" ? 1 : 0;
  const keep = await keepTokens(input, from);
  const cut = await findCut(messages, from, keep, (message) => messageTokens(message, signal));
  const firstKeptEntryId = cut && entryIds[cut.keptFrom];
  if (!cut || firstKeptEntryId === undefined) {
    return refused(`There is nothing to shorten: the conversation has less than the ${keep} tokens that are kept`);
  }
  const previous = path.findLast((entry) => entry.type === "compaction");
  const tokensBefore = await estimateContext(messages, {
    freshFrom: freshFrom(path, entryIds),
    ...(input.fixed ? { fixed: input.fixed } : {}),
    signal,
  });
  return {
    type: "plan",
    plan: {
      firstKeptEntryId,
      history: messages.slice(from, cut.turnFrom),
      turnPrefix: messages.slice(cut.turnFrom, cut.keptFrom),
      ...(previous ? { previousSummary: withoutAppendix(previous.summary) } : {}),
      appendix: appendixOf(messages.slice(from, cut.keptFrom), previous?.details),
      tokensBefore,
    },
  };
}

/** After an overflow less may have to stay than the settings say: the window is smaller than anybody knew. */
async function keepTokens({ messages, reason, keepTokens, signal }: CompactionInput, from: number): Promise<number> {
  if (reason !== "overflow") return keepTokens;
  let total = 0;
  for (const message of messages.slice(from)) total += await messageTokens(message, signal);
  return Math.max(1, Math.min(keepTokens, Math.floor(total / 2)));
}

function refused(message: string): Planned {
  return { type: "refused", message };
}
