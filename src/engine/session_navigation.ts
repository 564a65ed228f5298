import { sleep } from "../core/support/sleep.ts";
import type { Engine, MoveOptions } from "../core/engine.ts";
import type { SessionBeforeTreeResult } from "../core/hook_decisions.ts";
import type { DecisionEvents, SessionReason } from "../core/hook_events.ts";
import { type NewEntry, type SessionEntry, type SessionStore, userWords } from "../core/session.ts";
import { forkSession } from "../session/fork.ts";
import { newSession, sessionPlaces, storeOptions } from "./sessions/session_choice.ts";
import { resumable, resumeSession } from "./sessions/resumed_session.ts";
import { otherServer } from "./session_server.ts";
import { modelView } from "./model_state.ts";
import { entryIn, sessionChanged } from "./conversation.ts";
import type { EngineCore } from "./parts.ts";
import { restoreReading } from "./prompt_state.ts";
import { levelNamed, windowOf } from "../config/run_settings.ts";

type SessionBeforeForkResult = DecisionEvents["session_before_fork"]["result"];

/** Going from one session, or one branch of it, to another. */
export type Navigation = Pick<Engine, "newSession" | "switchSession" | "fork" | "navigate">;

/**
 * Goes to another session or branch. Each function asks the hooks first and changes nothing until they have answered (R221,
 * R222, R328, R329); a run in its way is then stopped by `abort`, together with commands typed during it.
 */
export function createNavigation(core: EngineCore, abort: () => Promise<void>): Navigation {
  const { conversation, work } = core;
  const say = (notice: string): void => core.notify(notice);

  /** Opens before it closes: a session that cannot be had leaves everything as it is. */
  const enter = async (
    next: SessionStore,
    reason: Extract<SessionReason, "new" | "resume" | "fork">,
  ): Promise<void> => {
    const previousSessionFile = conversation.store().path;
    const targetSessionFile = next.path;
    // What a handler still keeps belongs into the session that is left.
    await core.hooks()?.observe({
      type: "session_shutdown",
      reason,
      ...(targetSessionFile ? { targetSessionFile } : {}),
    });
    core.queues.clear();
    const { thinkingLevel, model } = conversation.open(next);
    core.tools.beginSession();
    await core.plan.restore();
    await core.renewExtensions();
    core.followPolicy();
    const previousLevel = core.model.thinking();
    const level = levelNamed(thinkingLevel) ?? previousLevel;
    core.model.setThinking(level);
    const previousModel = modelView(core.model);
    const isOtherModel = core.model.restore(model);
    const moved = otherServer(next, core.model.choice());
    if (moved !== undefined) say(moved);
    restoreReading(conversation, core.prompt);
    void core.hooks()?.observe({
      type: "session_start",
      reason,
      ...(previousSessionFile ? { previousSessionFile } : {}),
    });
    if (isOtherModel) {
      void core.hooks()?.observe({
        type: "model_select",
        model: modelView(core.model),
        previousModel,
        source: "restore",
      });
    }
    if (level !== previousLevel) {
      void core.hooks()?.observe({ type: "thinking_level_select", level, previousLevel, source: "restore" });
    }
    announce(reason);
  };
  const announce = (reason: "new" | "resume" | "fork" | "tree"): void =>
    core.emit(sessionChanged(conversation.store(), reason));
  /** Asks, and goes if nobody forbids it; a run is stopped in between, where the caller wants that. */
  const move = async <A extends { readonly cancel?: boolean }, T>(
    { whileBusy }: MoveOptions,
    ask: (signal: AbortSignal) => Promise<A>,
    go: (said: A, signal: AbortSignal) => Promise<T>,
  ): Promise<T | undefined> => {
    if (!whileBusy || work.kind() !== "run") {
      return await work.run("session", async (signal) => {
        const said = await ask(signal);
        return said.cancel ? undefined : await go(said, signal);
      });
    }
    const said = await ask(new AbortController().signal);
    if (said.cancel) return undefined;
    if (work.kind() === "run") await abort();
    return await work.soon("session", (signal) => go(said, signal));
  };
  const askSwitch = async (
    event: { readonly reason: "new" | "resume"; readonly targetSessionFile?: string },
    signal: AbortSignal,
  ): Promise<{ readonly cancel?: boolean }> => {
    const hooks = core.hooks();
    return hooks?.has("session_before_switch") ? await hooks.decide("session_before_switch", event, signal) : {};
  };
  const entryOf = (id: string): SessionEntry => entryIn(conversation.store(), id);

  return {
    newSession: async ({ parentSession, ...options } = {}) =>
      await move(options, (signal) => askSwitch({ reason: "new" }, signal), async () => {
        await enter(newSession(core.config(), say, parentSession), "new");
        return true;
      }) ?? false,
    async switchSession(which, options = {}) {
      // Nobody is asked about a session that cannot be had, and nothing is stopped for it.
      const targetSessionFile = resumable(which, core.config());
      const event = { reason: "resume", targetSessionFile } as const;
      return await move(options, (signal) => askSwitch(event, signal), async () => {
        await enter(resumeSession(targetSessionFile, core.config(), say), "resume");
        return true;
      }) ?? false;
    },
    async fork(entryId, position = "before", options = {}) {
      const entry = entryOf(entryId);
      const isWhole = position === "at" && entryId === conversation.store().leaf();
      const ask = async (signal: AbortSignal): Promise<SessionBeforeForkResult> => {
        const hooks = core.hooks();
        return hooks?.has("session_before_fork")
          ? await hooks.decide("session_before_fork", { entryId, position }, signal)
          : {};
      };
      return await move(options, ask, async (said) => {
        const { folder } = sessionPlaces(core.config());
        // A hook may have the copy keep the whole conversation, whatever the place; a run that was stopped has added to it.
        const end = said.skipConversationRestore || isWhole ? {} : { entryId, isBefore: position === "before" };
        const fork = { ...end, folder, cwd: core.config().root };
        await enter(
          forkSession(
            conversation.store(),
            fork,
            storeOptions(core.config(), say, ...(folder === undefined ? [] : [folder])),
          ),
          "fork",
        );
        return { text: userWords(entry) };
      });
    },
    async navigate(entryId, { summarize = false, focus, ...options } = {}) {
      const entry = entryOf(entryId);
      const isUser = entry.type === "message" && entry.message.role === "user";
      const target = isUser ? entry.parentId : entry.id;
      const ways = () => {
        const store = conversation.store();
        const [oldPath, newPath] = [store.pathTo(), target === null ? [] : store.pathTo(target)];
        return { oldPath, newPath, left: oldPath.filter((one) => !newPath.includes(one)) };
      };
      const ask = async (signal: AbortSignal): Promise<SessionBeforeTreeResult> => {
        const hooks = core.hooks();
        if (!hooks?.has("session_before_tree")) return {};
        const { oldPath, newPath, left } = ways();
        return await hooks.decide("session_before_tree", {
          preparation: {
            targetId: entryId,
            oldLeafId: conversation.store().leaf(),
            commonAncestorId: newPath.findLast((one) => oldPath.includes(one))?.id ?? null,
            entriesToSummarize: left,
            userWantsSummary: summarize,
          },
        }, signal);
      };
      return await move(options, ask, async (said, signal) => {
        const { oldPath, newPath, left } = ways();
        const store = conversation.store();
        const oldLeafId = store.leaf();
        const summary = said.summary
          ? { type: "branch_summary" as const, fromId: oldLeafId ?? "", ...said.summary, fromHook: true }
          : summarize && left.length > 0
          ? await summaryOf(oldPath, newPath, summaryWishes(said, focus), signal)
          : undefined;
        if (summary === null) return undefined;
        store.branch(target);
        if (summary) conversation.append(summary);
        if (said.label) conversation.append({ type: "label", targetId: entryId, label: said.label });
        conversation.rebuild();
        void core.hooks()?.observe({
          type: "session_tree",
          newLeafId: store.leaf(),
          oldLeafId,
          ...(summary ? { fromExtension: said.summary !== undefined } : {}),
        });
        announce("tree");
        return { text: userWords(entry) };
      });
    },
  };

  /** The summary of a branch that is left; null: it could not be had, and the person stays where they are. */
  async function summaryOf(
    oldPath: readonly SessionEntry[],
    newPath: readonly SessionEntry[],
    wishes: SummaryWishes,
    signal: AbortSignal,
  ): Promise<NewEntry | undefined | null> {
    const { provider, thinking, contextWindow } = await core.model.current();
    const { reserveTokens } = windowOf(core.config(), true, contextWindow);
    const deps = { provider, thinking, contextWindow, reserveTokens, now: Date.now, sleep, signal };
    const { summarizeBranch } = await import("../history/branch_summary.ts");
    const outcome = await summarizeBranch(oldPath, newPath, { ...deps, ...wishes });
    switch (outcome.type) {
      case "summarized":
        return outcome.entry;
      case "refused":
        return undefined;
      case "aborted":
        return null;
      case "failed":
        core.notify(`The branch could not be summarised: ${outcome.failure.message}`);
        return null;
    }
  }
}

/** What a branch's summary should be like: by a hook, else by the person. */
type SummaryWishes = { readonly focus?: string; readonly instructions?: string };

function summaryWishes(said: SessionBeforeTreeResult, focus: string | undefined): SummaryWishes {
  const text = said.customInstructions ?? focus;
  if (!text) return {};
  return said.customInstructions && said.replaceInstructions ? { instructions: text } : { focus: text };
}
