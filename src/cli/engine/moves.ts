import { sleep } from "../../core/sleep.ts";
import type { Engine } from "../../core/engine.ts";
import { UserError } from "../../core/error.ts";
import type { SessionBeforeTreeResult } from "../../core/hook_event.ts";
import type { SessionReason } from "../../core/hook_events.ts";
import { textOf } from "../../core/message.ts";
import type { NewEntry, SessionEntry, SessionStore } from "../../core/session.ts";
import { summarizeBranch } from "../../history/branch_summary.ts";
import { forkSession } from "../../session/fork.ts";
import { newSession, resumeSession, sessionPlaces, storeOptions } from "../session_choice.ts";
import { type EngineCore, tell } from "./core.ts";
import { modelView } from "./model_state.ts";
import { restoreReading } from "./runtime_reading.ts";
import { levelNamed, windowOf } from "./settings_of.ts";

/** Going from one session, or one branch of it, to another. */
export type Moves = Pick<Engine, "newSession" | "switchSession" | "fork" | "navigate" | "setName" | "setLabel">;

/** The moves of a session; each asks the hooks before anything changes (R221, R222, R328, R329). */
export function createMoves(core: EngineCore): Moves {
  const { conversation, work } = core;
  const say = (notice: string): void => tell(core, notice);

  /** Opens before it closes: a session that cannot be had leaves everything as it is. */
  const enter = (next: SessionStore, reason: Extract<SessionReason, "new" | "resume" | "fork">): void => {
    const previousSessionFile = conversation.store().path;
    const targetSessionFile = next.path;
    void core.hooks()?.observe({
      type: "session_shutdown",
      reason,
      ...(targetSessionFile ? { targetSessionFile } : {}),
    });
    core.queues.clear();
    const { thinkingLevel, model } = conversation.open(next);
    core.model.setThinking(levelNamed(thinkingLevel) ?? core.model.thinking());
    const previousModel = modelView(core.model);
    const isOtherModel = core.model.restore(model);
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
    announce(reason);
  };
  const announce = (reason: "new" | "resume" | "fork" | "tree" | "name"): void => {
    const { header: { id: sessionId }, path } = conversation.store();
    const name = sessionName(conversation.store());
    core.emit({
      type: "session_changed",
      reason,
      sessionId,
      ...(path ? { sessionFile: path } : {}),
      ...(name ? { sessionName: name } : {}),
    });
  };
  const mayGo = async (
    event: { readonly reason: "new" | "resume"; readonly targetSessionFile?: string },
    signal: AbortSignal,
  ): Promise<boolean> => {
    const hooks = core.hooks();
    return !hooks?.has("session_before_switch") || !(await hooks.sessionBeforeSwitch(event, signal)).cancel;
  };
  const entryOf = (id: string): SessionEntry => {
    const entry = conversation.store().entry(id);
    if (entry) return entry;
    throw new UserError({
      what: `There is no entry "${id}"`,
      why: "the session does not hold it",
      fix: "Take one from the session's tree",
    });
  };

  return {
    newSession: () =>
      work.run("session", async (signal) => {
        if (!await mayGo({ reason: "new" }, signal)) return false;
        enter(newSession(core.config(), say), "new");
        return true;
      }),
    switchSession: (which) =>
      work.run("session", async (signal) => {
        if (!await mayGo({ reason: "resume", targetSessionFile: which }, signal)) return false;
        enter(resumeSession(which, core.config(), say), "resume");
        return true;
      }),
    fork: (entryId, position = "before") =>
      work.run("session", async (signal) => {
        const entry = entryOf(entryId);
        const hooks = core.hooks();
        const said = hooks?.has("session_before_fork")
          ? await hooks.sessionBeforeFork({ entryId, position }, signal)
          : {};
        if (said.cancel) return undefined;
        const { folder } = sessionPlaces(core.config());
        // A hook may have the copy keep the whole conversation, whatever the place.
        const end = said.skipConversationRestore ? {} : { entryId, isBefore: position === "before" };
        const fork = { ...end, folder, cwd: core.config().root };
        enter(forkSession(conversation.store(), fork, storeOptions(say)), "fork");
        return { text: textOfEntry(entry) };
      }),
    navigate: (entryId, { summarize = false, focus } = {}) =>
      work.run("session", async (signal) => {
        const entry = entryOf(entryId);
        const store = conversation.store();
        const oldLeafId = store.leaf();
        const isUser = entry.type === "message" && entry.message.role === "user";
        const target = isUser ? entry.parentId : entry.id;
        const [oldPath, newPath] = [store.pathTo(), target === null ? [] : store.pathTo(target)];
        const left = oldPath.filter((one) => !newPath.includes(one));
        const hooks = core.hooks();
        const said = hooks?.has("session_before_tree")
          ? await hooks.sessionBeforeTree({
            preparation: {
              targetId: entryId,
              oldLeafId,
              commonAncestorId: newPath.findLast((one) => oldPath.includes(one))?.id ?? null,
              entriesToSummarize: left,
              userWantsSummary: summarize,
            },
          }, signal)
          : {};
        if (said.cancel) return undefined;
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
        void hooks?.observe({ type: "session_tree", newLeafId: store.leaf(), oldLeafId });
        announce("tree");
        return { text: isUser ? textOfEntry(entry) : "" };
      }),
    setName(name) {
      conversation.append({ type: "session_info", name: name.trim() });
      void core.hooks()?.observe({ type: "session_info_changed", name: name.trim() });
      announce("name");
    },
    setLabel(entryId, label) {
      entryOf(entryId);
      const text = label?.trim();
      conversation.append({ type: "label", targetId: entryId, ...(text ? { label: text } : {}) });
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
    const { reserveTokens } = windowOf(core.config(), true);
    const deps = { provider, thinking, contextWindow, reserveTokens, now: Date.now, sleep, signal };
    const outcome = await summarizeBranch(oldPath, newPath, { ...deps, ...wishes });
    switch (outcome.type) {
      case "summarized":
        return outcome.entry;
      case "refused":
        return undefined;
      case "aborted":
        return null;
      case "failed":
        tell(core, `The branch could not be summarised: ${outcome.failure.message}`);
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

/** The name that a person gave the session, if they did. */
export function sessionName(store: SessionStore): string | undefined {
  const named = store.entries().findLast((entry) => entry.type === "session_info");
  return named?.type === "session_info" && named.name !== "" ? named.name : undefined;
}

function textOfEntry(entry: SessionEntry): string {
  return entry.type === "message" && entry.message.role === "user" ? textOf(entry.message.content) : "";
}
