import type { CommandView, EngineState, ToolView } from "../../src/core/engine.ts";
import type { TrialResult, TrialState } from "../../src/core/changes.ts";
import type { CompiledPrompt } from "../../src/core/compiled_prompt.ts";
import { UserError } from "../../src/core/error.ts";
import type { AgentMessage } from "../../src/core/message.ts";
import type { SessionEntry, SessionStore } from "../../src/core/session.ts";
import type { ListPatch, WireView } from "../../src/cli/sdk/wire.ts";

/** What can be looked at without asking the program: as it was before the last event, and with the last response. */
export interface View {
  readonly apply: (changes: WireView) => void;
  /** Puts what was just set into the state: the program takes it before anything that is asked later. */
  readonly set: (fields: Partial<EngineState>) => void;
  readonly notices: readonly string[];
  readonly state: EngineState;
  readonly messages: readonly AgentMessage[];
  readonly tools: readonly ToolView[];
  readonly commands: readonly CommandView[];
  readonly compiled: CompiledPrompt;
  readonly trial: TrialState | undefined;
  readonly trialResult: TrialResult | undefined;
  readonly store: SessionStore;
}

/** An empty view; the program fills it before it says that the session is open. */
export function createView(): View {
  // Filled whole by the first changes, before anybody gets it.
  let whole = {} as Required<Omit<WireView, "messages" | "entries" | "gone" | "state">>;
  let state = {} as EngineState;
  let messages: readonly AgentMessage[] = [];
  let entries: readonly SessionEntry[] = [];
  const byId = (id: string): SessionEntry | undefined => entries.find((entry) => entry.id === id);
  const store: SessionStore = {
    get header() {
      return whole.store.header;
    },
    get path() {
      return whole.store.path ?? undefined;
    },
    entries: () => entries,
    entry: byId,
    leaf: () => whole.store.leaf,
    pathTo(id = whole.store.leaf) {
      const known = new Map(entries.map((entry) => [entry.id, entry]));
      const path: SessionEntry[] = [];
      for (let entry = known.get(id ?? ""); entry; entry = known.get(entry.parentId ?? "")) path.unshift(entry);
      return path;
    },
    append: () => notHere("append"),
    branch: () => notHere("branch"),
    sync: () => notHere("sync"),
    syncSoon: () => notHere("syncSoon"),
    close: () => notHere("close"),
  };
  return {
    apply({ state: fields = {}, gone = [], messages: more, entries: grown, ...rest }) {
      const kept = Object.entries(state).filter(([name]) => !(gone as readonly string[]).includes(name));
      // The fields of a state, less those that are gone and with those that came.
      state = { ...Object.fromEntries(kept), ...fields } as EngineState;
      messages = patched(messages, more);
      entries = patched(entries, grown);
      whole = { ...whole, ...rest };
    },
    set: (fields) => void (state = { ...state, ...fields }),
    get notices() {
      return whole.notices;
    },
    get state() {
      return { ...state };
    },
    get messages() {
      return messages.slice();
    },
    get tools() {
      return whole.tools;
    },
    get commands() {
      return whole.commands;
    },
    get compiled() {
      return whole.compiled;
    },
    get trial() {
      return whole.trial ?? undefined;
    },
    get trialResult() {
      return whole.trialResult ?? undefined;
    },
    store,
  };
}

function patched<T>(list: readonly T[], patch: ListPatch<T> | undefined): readonly T[] {
  return patch ? [...list.slice(0, patch.from), ...patch.items] : list;
}

function notHere(method: string): never {
  throw new UserError({
    what: `store().${method}() cannot be called from here`,
    why: "the session is kept by the sandpiper process, and this is a view of it",
    fix: "Use the methods of the agent: setName, setLabel, navigate, fork; or an extension's appendEntry",
  });
}
