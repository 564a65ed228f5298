import type { AgentEvent } from "../../core/event.ts";
import type { AgentMessage } from "../../core/message.ts";
import type { SessionEntry } from "../../core/session.ts";
import type { Agent } from "./agent_api.ts";
import type { ListPatch, WireView } from "./wire.ts";

/** What another process was told of an agent, and what of it is other by now. */
export interface ServedView {
  /** What changed since the last call; undefined for nothing. `isWhole`: prompt, tools and trial are looked at, too. */
  readonly changes: (isWhole: boolean) => WireView | undefined;
  /** The state is told anew with the next call. */
  readonly forget: () => void;
}

/** Parts of the view that are compared by their JSON, and looked at only where something may have changed them. */
const WHOLE = {
  notices: (agent: Agent) => agent.notices,
  tools: (agent: Agent) => agent.tools(),
  commands: (agent: Agent) => agent.commands(),
  compiled: (agent: Agent) => agent.compiled(),
  trial: (agent: Agent) => agent.trial() ?? null,
  trialResult: (agent: Agent) => agent.trialResult() ?? null,
} as const;

/** Nothing was told yet. */
export function servedView(agent: Agent): ServedView {
  let fields = new Map<string, string>();
  const told = new Map<string, string>();
  let messages: readonly AgentMessage[] = [];
  let entries: readonly SessionEntry[] = [];
  const stateChanges = (): WireView => {
    const now = Object.entries(agent.state()).filter(([, value]) => value !== undefined);
    const texts = new Map(now.map(([name, value]) => [name, JSON.stringify(value)]));
    const changed = now.filter(([name]) => fields.get(name) !== texts.get(name));
    const gone = [...fields.keys()].filter((name) => !texts.has(name));
    fields = texts;
    return {
      ...(changed.length === 0 ? {} : { state: Object.fromEntries(changed) }),
      ...(gone.length === 0 ? {} : { gone: gone as NonNullable<WireView["gone"]> }), // keys of an earlier state
    };
  };
  const ifOther = (name: string, value: unknown): object => {
    const text = JSON.stringify(value);
    if (told.get(name) === text) return {};
    told.set(name, text);
    return { [name]: value };
  };
  const lists = (): WireView => {
    const store = agent.store();
    const [nowMessages, nowEntries] = [agent.messages(), [...store.entries()]];
    const patches = { messages: patchOf(messages, nowMessages), entries: patchOf(entries, nowEntries) };
    [messages, entries] = [nowMessages, nowEntries];
    return {
      ...(patches.messages ? { messages: patches.messages } : {}),
      ...(patches.entries ? { entries: patches.entries } : {}),
      ...ifOther("store", { header: store.header, path: store.path ?? null, leaf: store.leaf() }),
    };
  };
  return {
    changes(isWhole) {
      const view: WireView = { ...stateChanges(), ...lists() };
      if (isWhole) { for (const [name, of] of Object.entries(WHOLE)) Object.assign(view, ifOther(name, of(agent))); }
      return Object.keys(view).length === 0 ? undefined : view;
    },
    forget: () => void (fields = new Map()),
  };
}

/** Whether an event can have changed anything that a program looks at; replies have thousands of updates. */
export function changesView({ type }: AgentEvent): boolean {
  return type !== "message_update" && type !== "tool_execution_update";
}

/** Entries and messages are values: those that stay are the same objects. */
function patchOf<T>(before: readonly T[], now: readonly T[]): ListPatch<T> | undefined {
  let from = 0;
  while (from < before.length && from < now.length && before[from] === now[from]) from++;
  return from === before.length && from === now.length ? undefined : { from, items: now.slice(from) };
}
