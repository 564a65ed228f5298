import type { ContextUsage } from "../core/engine.ts";
import type { AgentEvent, CompactionReason, CompactionResult } from "../core/event.ts";
import type { Hooks } from "../core/hook.ts";
import type { Usage } from "../core/message.ts";
import type { CompactionEntry, NewEntry } from "../core/session.ts";
import { sleep } from "../core/support/sleep.ts";
import { estimateContext, freshFrom, recentBound } from "../history/estimate.ts";
import { keepBudget, shouldCompact, windowBudget, type WindowSettings } from "../history/window.ts";
import type { Conversation } from "./conversation.ts";
import type { ActiveModel } from "./model_state.ts";

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
  /** They may forbid it, or bring the summary themselves (R223, R293–R295). */
  readonly hooks: () => Hooks | undefined;
}

/** A compactor of a session. */
export function createCompactor({ conversation, model, settings, fixed, hooks }: CompactorParts): Compactor {
  async function* now(
    reason: CompactionReason,
    focus: string | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<AgentEvent, boolean> {
    const { contextWindow, maxTokens, provider, thinking } = await model();
    yield { type: "compaction_start", reason };
    const listening = hooks();
    const willRetry = reason === "overflow";
    const failed = async (why: { aborted: boolean; errorMessage?: string }): Promise<AgentEvent> => {
      await listening?.observe({ type: "session_compact_failed", ...why, reason });
      return { type: "compaction_end", reason, willRetry: false, ...why };
    };
    const path = conversation.store().pathTo();
    const { messages, entryIds } = conversation.context();
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
    const { history, turnPrefix, firstKeptEntryId, tokensBefore, previousSummary } = plan;
    const said = listening?.has("session_before_compact")
      ? await listening.decide("session_before_compact", {
        preparation: {
          messagesToSummarize: [...history, ...turnPrefix],
          firstKeptEntryId,
          tokensBefore,
          ...(previousSummary === undefined ? {} : { previousSummary }),
        },
        branchEntries: path,
        reason,
        willRetry,
        ...(focus ? { customInstructions: focus } : {}),
      }, signal)
      : {};
    if (said.cancel) {
      yield await failed({ aborted: true, errorMessage: "An extension cancelled it" });
      return false;
    }
    let usage: Usage | undefined;
    let result: CompactionResult | undefined = said.compaction;
    const fromHook = result !== undefined;
    if (result === undefined) {
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
    }
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
    if (entry.type === "compaction") {
      await listening?.observe({
        type: "session_compact",
        compactionEntry: entry,
        fromExtension: fromHook,
        reason,
        willRetry,
      });
    }
    yield { type: "compaction_end", reason, result, aborted: false, willRetry, ...(usage ? { usage } : {}) };
    return true;
  }

  const estimate = async (enough: number, signal?: AbortSignal): Promise<number> => {
    const { messages, entryIds } = conversation.context();
    return await estimateContext(messages, {
      enough,
      fixed: fixed(),
      freshFrom: freshFrom(conversation.store().pathTo(), entryIds),
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
