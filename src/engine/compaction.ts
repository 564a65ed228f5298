import type { ContextUsage } from "../core/engine.ts";
import type { AgentEvent, CompactionReason, CompactionResult } from "../core/event.ts";
import type { Hooks } from "../core/hook.ts";
import { type AgentMessage, type AssistantMessage, type Message, textOf, type Usage } from "../core/message.ts";
import type { ProviderFailure } from "../core/provider.ts";
import type { CompactionEntry, NewEntry } from "../core/session.ts";
import { sleep } from "../core/support/sleep.ts";
import { convertToLlm } from "../history/convert.ts";
import type { CompactionOutcome } from "../history/compact.ts";
import { estimateContext, freshFrom, recentBound } from "../history/estimate.ts";
import { withoutRepeatedSkills } from "../history/repeated_skills.ts";
import { countTokens, messageBound, roughTokens, tokenBound } from "../history/tokens.ts";
import {
  keepBudget,
  type LimitOf,
  type MessageLimits,
  messageLimits,
  shouldCompact,
  windowBudget,
  type WindowSettings,
} from "../history/window.ts";
import type { Conversation } from "./conversation.ts";
import type { ActiveModel } from "./model_state.ts";

/** Keeps the context within the model's window (K8: the owner of the history is the checkpoint). */
export interface Compactor {
  /** Whether it shortens by itself. */
  isOn(): boolean;
  /**
   * Shortens when the threshold is passed; asked for between turns and before a prompt, never inside a turn (R277).
   * `incoming`: text of the prompt to come.
   */
  ifNeeded(signal: AbortSignal, incoming?: string): AsyncGenerator<AgentEvent, void>;
  /** Shortens now; true when it did. */
  now(reason: CompactionReason, focus: string | undefined, signal: AbortSignal): AsyncGenerator<AgentEvent, boolean>;
  /**
   * Makes the next request shorter after one that the server rejected as too long: first single messages that are too
   * large, then the conversation. True when a new attempt is worth it.
   */
  overflowed(failure: ProviderFailure, signal: AbortSignal): AsyncGenerator<AgentEvent, boolean>;
  /** Converts the messages of a request. Those that are larger than the context window allows are shortened. */
  fit(messages: readonly AgentMessage[], signal: AbortSignal): Promise<readonly Message[]>;
  /** Warns once if the server used far less of a request than was sent: some cut the conversation without an error. */
  checkUse(reply: AssistantMessage): void;
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
  /** Shows the user a warning. */
  readonly notify: (message: string) => void;
}

function isOverflow(outcome: CompactionOutcome): outcome is CompactionOutcome & { readonly type: "failed" } {
  return outcome.type === "failed" && outcome.failure.kind === "context_overflow";
}

/** After a rejection the next request has at most this part of the tokens, if the server does not say how many it takes. */
const OVERFLOW_SHARE = 0.65;

/** A server that used so many times fewer tokens than text has by its bytes has not read all of it; and the least that counts. */
const CUT_RATIO = 2.5;
const MIN_CUT_TOKENS = 1500;

/** Limits are not lowered any further. */
const MIN_SCALE = 1 / 64;

/** A compactor of a session. */
export function createCompactor(parts: CompactorParts): Compactor {
  const { conversation, model, settings, fixed, hooks } = parts;
  /** The largest request that the model of this name is assumed to take, because its server rejected a larger one. */
  let assumed: { readonly id: string; readonly contextWindow: number } | undefined;
  const told = new WeakSet<AgentMessage>();
  /** The limits of the last request. */
  let sentWith: LimitOf | undefined;
  /** Messages that the conversation had after the last compaction for a request that was too long. */
  let compactedLength: number | undefined;
  /** Multiplies the limits: below 1 while several messages that are too large do not fit together. */
  let scale = 1;
  let isCutTold = false;

  /** The context window, and how it is used. */
  async function currentWindow(): Promise<{ contextWindow: number; window: WindowSettings; budget: number }> {
    const { contextWindow: named, id } = await model();
    const contextWindow = assumed?.id === id ? Math.min(named, assumed.contextWindow) : named;
    const own = settings(contextWindow);
    // Settings were made for the window that the model has by name.
    const reserveTokens = contextWindow < named
      ? Math.min(own.reserveTokens, Math.floor(contextWindow / 4))
      : own.reserveTokens;
    return {
      contextWindow,
      window: { ...own, reserveTokens },
      budget: windowBudget(contextWindow, reserveTokens),
    };
  }

  const fixedTokens = (): number => roughTokens(fixed().reduce((sum, text) => sum + tokenBound(text), 0));

  async function limits(): Promise<MessageLimits> {
    const { contextWindow, window, budget } = await currentWindow();
    const taken = fixedTokens();
    return messageLimits(budget, taken, keepBudget(contextWindow, window, taken), scale);
  }

  const limitOf = async (): Promise<LimitOf> => conversation.limitOf(await limits());

  /** Where the whole text of a message is, for the model. */
  function sourceOf(message: AgentMessage): string {
    const entry = conversation.store().entries().findLast((one) => one.type === "message" && one.message === message);
    const kept = entry && conversation.store().path ? `All of it is in session entry ${entry.id}` : undefined;
    if (message.role === "toolResult") {
      const path = message.details?.["fullOutputPath"];
      const where = typeof path === "string" ? `All of it is in ${path}` : kept;
      return `${where ? `${where}; ` : ""}call the tool again for a smaller part`;
    }
    const files = message.role === "user"
      ? [...textOf(message.content).matchAll(/^<file name="([^"\n]+)">$/gm)].map(([, name = ""]) => name)
      : [];
    if (files.length > 0) return `All of it is in ${files.slice(0, 5).join(", ")}`;
    return kept ?? "Ask for the part that you need";
  }

  async function* compact(
    reason: CompactionReason,
    focus: string | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<AgentEvent, boolean> {
    const { maxTokens, provider, thinking } = await model();
    const { contextWindow, window } = await currentWindow();
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
      keepTokens: keepBudget(contextWindow, window, fixedTokens()),
      fixed: fixed(),
      limitOf: await limitOf(),
      limits: await limits(),
      signal,
    });
    if (planned.type === "refused") {
      // Nobody asked for it, so nobody waits for an answer.
      if (reason !== "manual") return false;
      yield { type: "compaction_start", reason };
      yield await failed({ aborted: false, errorMessage: planned.message });
      return false;
    }
    yield { type: "compaction_start", reason };
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
    const { compactCheckpoint, withPlanAppendix } = await import("../history/compact.ts");
    let result: CompactionResult | undefined = said.compaction && withPlanAppendix(said.compaction, plan);
    const fromHook = result !== undefined;
    if (result === undefined) {
      const ask = (contextWindow: number): Promise<CompactionOutcome> =>
        compactCheckpoint(plan, {
          provider,
          thinking,
          contextWindow,
          reserveTokens: Math.min(window.reserveTokens, Math.floor(contextWindow / 2)),
          ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
          ...(focus ? { focus } : {}),
          now: Date.now,
          sleep,
          signal,
        });
      let outcome = await ask(contextWindow);
      // The window may be smaller than anybody knew, which this request is the first to meet.
      for (let share = 0.5; share > 0.1 && isOverflow(outcome); share /= 2) {
        outcome = await ask(Math.floor(Math.min(contextWindow, outcome.failure.contextWindow ?? Infinity) * share));
      }
      if (outcome.type !== "compacted") {
        yield await failed(
          outcome.type === "aborted"
            ? { aborted: true }
            : { aborted: false, errorMessage: `Compaction failed: ${outcome.failure.message}` },
        );
        return false;
      }
      ({ result, usage } = outcome);
    }
    const tokensAfter = await tokensWith(result.summary, plan.kept, signal);
    result = { ...result, tokensAfter };
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
    scale = 1;
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

  /** The context after a compaction: no reply has told its size yet. */
  async function tokensWith(summary: string, kept: readonly AgentMessage[], signal: AbortSignal): Promise<number> {
    const { any, kept: limit, unanswered } = await limits();
    const answered = kept.findLastIndex(({ role }) => role === "assistant");
    const fresh = new Set(kept.slice(answered + 1));
    const head: AgentMessage = { role: "compactionSummary", summary, tokensBefore: 0, timestamp: 0 };
    return await estimateContext([head, ...kept], {
      fixed: fixed(),
      freshFrom: Infinity,
      limitOf: (message) => message === head ? any : fresh.has(message) ? unanswered : limit,
      signal,
    });
  }

  const estimate = async (enough: number, signal?: AbortSignal): Promise<number> => {
    const { messages, entryIds } = conversation.context();
    // What the model has answered is better summarized than shortened in every request to come.
    const answered = new Set(messages.slice(0, messages.findLastIndex(({ role }) => role === "assistant") + 1));
    const limit = await limitOf();
    return await estimateContext(messages, {
      enough,
      fixed: fixed(),
      freshFrom: freshFrom(conversation.store().pathTo(), entryIds),
      limitOf: (message) => answered.has(message) && !conversation.isStale(message) ? Infinity : limit(message),
      ...(signal ? { signal } : {}),
    });
  };

  /** Counted anew: a usage that an earlier reply told is that of an earlier request. */
  function size(limit: LimitOf, signal: AbortSignal): Promise<number> {
    return estimateContext(conversation.state.messages, {
      fixed: fixed(),
      freshFrom: Infinity,
      limitOf: limit,
      signal,
    });
  }

  /** Lowers the limits until all messages together fit. Returns the size that this leaves. */
  async function tighten(budget: number, signal: AbortSignal): Promise<number> {
    let now = await size(await limitOf(), signal);
    for (; now > budget && scale > MIN_SCALE; now = await size(await limitOf(), signal)) scale /= 2;
    return now;
  }

  async function* overflowed(failure: ProviderFailure, signal: AbortSignal): AsyncGenerator<AgentEvent, boolean> {
    const { id } = await model();
    // Most adapters have noted it already.
    if (failure.contextWindow !== undefined) assumed = { id, contextWindow: failure.contextWindow };
    const before = await currentWindow();
    const sent = await size(sentWith ?? await limitOf(), signal);
    // Without a number from the server, or with one that the request is below, the request itself is the only measure.
    if (sent <= before.budget) {
      const contextWindow = Math.floor(sent * OVERFLOW_SHARE / 0.75);
      assumed = { id, contextWindow: Math.min(contextWindow, before.contextWindow) };
    }
    const { budget } = await currentWindow();
    const now = await size(await limitOf(), signal);
    if (now <= budget && now < sent) return true;
    // What a compaction has just left is not compacted again.
    const isCompacted = conversation.state.messages.length !== compactedLength &&
      (yield* compact("overflow", undefined, signal));
    compactedLength = conversation.state.messages.length;
    return await tighten(budget, signal) < sent * 0.95 || isCompacted;
  }

  return {
    isOn: () => settings().enabled,
    now: compact,
    overflowed,
    checkUse(reply) {
      const { input = 0, cacheRead = 0, cacheWrite = 0 } = reply.usage ?? {};
      const used = input + cacheRead + cacheWrite;
      if (isCutTold || used < MIN_CUT_TOKENS) return;
      const earlier = conversation.state.messages.filter((message) => message !== reply);
      const last = sentWith;
      const sent = earlier.reduce((sum, message) => {
        return sum + Math.min(roughTokens(messageBound(message)), last?.(message) ?? Infinity);
      }, fixedTokens());
      if (sent < used * CUT_RATIO) return;
      isCutTold = true;
      parts.notify(
        `The server used ${used} tokens of a request of about ${sent}: it may have cut the conversation without an error. ` +
          "Raise its context window (Ollama: OLLAMA_CONTEXT_LENGTH or num_ctx), or set contextWindow under models in settings.json",
      );
    },
    async fit(messages, signal) {
      const { contextWindow, budget, window } = await currentWindow();
      // Nearly always every message is far below all limits.
      const small = Math.min(budget / 12, window.keepRecentTokens / 2);
      if (messages.every((message) => messageBound(message) <= small)) {
        return withoutRepeatedSkills(convertToLlm(messages));
      }
      const { fitMessages } = await import("../history/oversized.ts");
      const { any } = await limits();
      const limit = sentWith = await limitOf();
      const fitting = await fitMessages(messages, limit, sourceOf, ({ message, tokens }) => {
        if (told.has(message)) return;
        told.add(message);
        if (tokens < any) return; // a compaction shortened it, and told of it
        parts.notify(
          `A message is too large for the context window of ${contextWindow} tokens: ` +
            `the model gets about ${tokens} tokens of its beginning and end`,
        );
      }, signal);
      return withoutRepeatedSkills(fitting);
    },
    async *ifNeeded(signal, incoming = "") {
      const { contextWindow, window, budget } = await currentWindow();
      // Nearly always the newest reply told the size of the context, and what came after it is short.
      const bound = recentBound(conversation.state.messages, conversation.isStale);
      const coming = tokenBound(incoming);
      if (bound !== undefined && bound + coming <= budget) return;
      const { any } = await limits();
      // Nearly always an upper bound is enough. The tokenizer is a megabyte of code that a start would wait for.
      let more = Math.min(any, coming);
      if (!shouldCompact(more + await estimate(budget - more, signal), contextWindow, window)) return;
      if (coming > 0) {
        more = Math.min(any, await countTokens(incoming, signal));
        if (!shouldCompact(more + await estimate(budget - more, signal), contextWindow, window)) return;
      }
      if (!(yield* compact("threshold", undefined, signal))) await tighten(budget - more, signal);
    },
    async usage() {
      const { contextWindow } = await currentWindow();
      return { tokens: await estimate(contextWindow), contextWindow };
    },
  };
}
