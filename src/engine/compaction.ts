import type { ContextUsage } from "../core/engine.ts";
import type { AgentEvent, CompactionReason, CompactionResult } from "../core/event.ts";
import type { Hooks } from "../core/hook.ts";
import type { Usage } from "../core/message.ts";
import type { CompactionEntry, NewEntry, SessionEntry } from "../core/session.ts";
import { sleep } from "../core/support/sleep.ts";
import { estimateContext, freshFrom, recentBound } from "../history/estimate.ts";
import type { CompactionPlan } from "../history/plan.ts";
import { keepBudget, shouldCompact, windowBudget, type WindowSettings } from "../history/window.ts";
import type { Conversation } from "./conversation.ts";
import type { ActiveModel } from "./model_state.ts";

/** What hooks decide about a compaction: they may forbid it, or bring the summary themselves (R223). */
export interface CompactionReview {
  before(
    about: {
      readonly plan: CompactionPlan;
      readonly path: readonly SessionEntry[];
      readonly reason: CompactionReason;
      readonly focus?: string;
    },
    signal: AbortSignal,
  ): Promise<{ readonly cancel?: boolean; readonly result?: CompactionResult } | undefined>;
  after(entry: CompactionEntry, reason: CompactionReason, fromHook: boolean): Promise<void>;
  /** Nothing was shortened, and why. */
  failed(why: { readonly aborted: boolean; readonly errorMessage?: string }, reason: CompactionReason): Promise<void>;
}

/** Keeps the context within the model's window (K8: the owner of the history is the checkpoint). */
export interface Compactor {
  /** Whether it shortens by itself. */
  isOn(): boolean;
  /** Shortens when the threshold is passed; asked for between turns and before a prompt, never inside a turn (R277). */
  ifNeeded(signal: AbortSignal): AsyncGenerator<AgentEvent, void>;
  /** Shortens now; true when it did. */
  now(reason: CompactionReason, focus: string | undefined, signal: AbortSignal): AsyncGenerator<AgentEvent, boolean>;
  /** As it was last estimated. */
  usage(): Promise<ContextUsage>;
}

/** What a compactor works with. */
export interface CompactorParts {
  readonly conversation: Conversation;
  readonly model: () => Promise<ActiveModel>;
  /** For a window of so many tokens; a usual one where none is named. */
  readonly settings: (contextWindow?: number) => WindowSettings;
  /** System prompt and tools: what goes along with every request. */
  readonly fixed: () => readonly string[];
  readonly review: () => CompactionReview | undefined;
}

/** A compactor of a session. */
export function createCompactor({ conversation, model, settings, fixed, review }: CompactorParts): Compactor {
  const context = () => {
    const path = conversation.store().pathTo();
    const { messages, entryIds } = conversation.context();
    return { path, messages, entryIds };
  };

  async function* now(
    reason: CompactionReason,
    focus: string | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<AgentEvent, boolean> {
    const { contextWindow, maxTokens, provider, thinking } = await model();
    yield { type: "compaction_start", reason };
    const reviewer = review();
    const failed = async (why: { aborted: boolean; errorMessage?: string }): Promise<AgentEvent> => {
      await reviewer?.failed(why, reason);
      return { type: "compaction_end", reason, willRetry: false, ...why };
    };
    const { path, messages, entryIds } = context();
    const { planCompaction } = await import("../history/plan.ts");
    const planned = await planCompaction({
      messages,
      entryIds,
      path,
      reason,
      keepTokens: keepBudget(contextWindow, settings(contextWindow)),
      fixed: fixed(),
      signal,
    });
    if (planned.type === "refused") {
      yield await failed({ aborted: false, errorMessage: planned.message });
      return false;
    }
    const { plan } = planned;
    const said = await reviewer?.before({ plan, path, reason, ...(focus ? { focus } : {}) }, signal);
    if (said?.cancel) {
      yield await failed({ aborted: true, errorMessage: "An extension cancelled it" });
      return false;
    }
    let usage: Usage | undefined;
    let result: CompactionResult;
    if (said?.result === undefined) {
      const { compactCheckpoint } = await import("../history/compact.ts");
      const outcome = await compactCheckpoint(plan, {
        provider,
        thinking,
        contextWindow,
        reserveTokens: settings(contextWindow).reserveTokens,
        ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
        ...(focus ? { focus } : {}),
        now: Date.now,
        sleep,
        signal,
      });
      if (outcome.type !== "compacted") {
        const aborted = outcome.type === "aborted";
        yield await failed({ aborted, ...(aborted ? {} : { errorMessage: outcome.failure.message }) });
        return false;
      }
      ({ result, usage } = outcome);
    } else {
      result = said.result;
    }
    const fromHook = said?.result !== undefined;
    const entry = conversation.append(
      {
        type: "compaction",
        ...result,
        ...(fromHook ? { fromHook } : {}),
        ...(usage ? { usage } : {}),
      } satisfies NewEntry<CompactionEntry>,
    );
    conversation.rebuild();
    conversation.store().sync();
    if (entry.type === "compaction") await reviewer?.after(entry, reason, fromHook);
    const willRetry = reason === "overflow";
    yield { type: "compaction_end", reason, result, aborted: false, willRetry, ...(usage ? { usage } : {}) };
    return true;
  }

  const estimate = async (enough: number, signal?: AbortSignal): Promise<number> => {
    const { messages, entryIds, path } = context();
    return await estimateContext(messages, {
      enough,
      fixed: fixed(),
      freshFrom: freshFrom(path, entryIds),
      ...(signal ? { signal } : {}),
    });
  };
  return {
    isOn: () => settings().enabled,
    now,
    async *ifNeeded(signal) {
      const { contextWindow } = await model();
      const budget = windowBudget(contextWindow, settings(contextWindow).reserveTokens);
      // Nearly always the newest reply told the size of the context, and what came after it is short.
      const bound = recentBound(conversation.state.messages, conversation.isStale);
      if (bound !== undefined && bound <= budget) return;
      const tokens = await estimate(budget, signal);
      if (shouldCompact(tokens, contextWindow, settings(contextWindow))) yield* now("threshold", undefined, signal);
    },
    async usage() {
      const { contextWindow } = await model();
      return { tokens: await estimate(contextWindow), contextWindow };
    },
  };
}

/** What extensions may do with a compaction (R223, R293–R295); nothing when none of them listens. */
export function compactionReview(hooks: Hooks | undefined): CompactionReview | undefined {
  if (!hooks) return undefined;
  return {
    async before({ plan, path, reason, focus }, signal) {
      if (!hooks.has("session_before_compact")) return undefined;
      const { history, turnPrefix, firstKeptEntryId, tokensBefore, previousSummary } = plan;
      const { cancel, compaction } = await hooks.decide("session_before_compact", {
        preparation: {
          messagesToSummarize: [...history, ...turnPrefix],
          firstKeptEntryId,
          tokensBefore,
          ...(previousSummary === undefined ? {} : { previousSummary }),
        },
        branchEntries: path,
        reason,
        willRetry: reason === "overflow",
        ...(focus ? { customInstructions: focus } : {}),
      }, signal);
      return { ...(cancel ? { cancel } : {}), ...(compaction ? { result: compaction } : {}) };
    },
    after: (compactionEntry, reason, fromExtension) =>
      hooks.observe({
        type: "session_compact",
        compactionEntry,
        fromExtension,
        reason,
        willRetry: reason === "overflow",
      }),
    failed: (why, reason) => hooks.observe({ type: "session_compact_failed", ...why, reason }),
  };
}
