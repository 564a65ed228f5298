import type { SessionState } from "../agent/deps.ts";
import type { SessionTotals } from "../core/engine.ts";
import { messageOf, UserError } from "../core/error.ts";
import type { AgentEvent } from "../core/event.ts";
import { isObject } from "../core/json.ts";
import { type AgentMessage, toolCallsOf, type ToolResultMessage, type Usage } from "../core/message.ts";
import {
  type NewEntry,
  ROLLING_SUMMARY,
  type SessionContext,
  type SessionEntry,
  type SessionStore,
} from "../core/session.ts";
import { freshFrom } from "../history/estimate.ts";
import { messageBound, roughTokens } from "../history/tokens.ts";
import type { LimitOf, MessageLimits } from "../history/window.ts";
import { openAudit } from "../session/audit.ts";
import { buildContext } from "../session/context.ts";
import { type KeptManifest, manifestEntry, manifestsOf } from "../session/manifests.ts";
import { sessionName } from "../session/tree.ts";

/** The conversation at hand: the messages that the loop works on, and the session in which they are kept. */
export interface Conversation {
  /** The loop's own view; the array stays the same one. */
  readonly state: SessionState;
  store(): SessionStore;
  /** Keeps what an event tells; before anybody else is told. */
  record(event: AgentEvent): void;
  append(entry: NewEntry): SessionEntry;
  /** Whether a message is older than the newest compaction: its usage speaks of a context that is gone. */
  isStale(message: AgentMessage): boolean;
  /** The limit of each message: lower for those that a compaction kept. */
  limitOf(limits: MessageLimits): LimitOf;
  /** What the session says that the next request is made from. */
  context(): SessionContext;
  /** Takes the messages anew from the session: after a compaction or a move in the tree. */
  rebuild(): SessionContext;
  /** Goes over to another session; the old one is closed. */
  open(store: SessionStore): SessionContext;
  totals(): SessionTotals;
  close(): void;
}

/** The conversation that a session holds. */
export function openConversation(first: SessionStore): Conversation {
  const messages: AgentMessage[] = [];
  let store = first;
  let meter: Meter = meterOf(store.entries());
  let last: KeptManifest | undefined = manifestsOf(store.entries()).at(-1);
  let stale = new WeakSet<AgentMessage>();
  /** Of the stale ones, those that came after the last reply. */
  let unanswered = new WeakSet<AgentMessage>();
  const rebuild = (): SessionContext => {
    const context = buildContext(store);
    const isShortened = context.messages[0]?.role === "compactionSummary";
    const kept = isShortened ? context.messages.slice(0, freshFrom(store.pathTo(), context.entryIds)) : [];
    stale = new WeakSet(kept);
    unanswered = new WeakSet(kept.slice(kept.findLastIndex(({ role }) => role === "assistant") + 1));
    messages.length = 0;
    for (const message of context.messages) messages.push(message);
    return context;
  };
  rebuild();
  const append = (entry: NewEntry): SessionEntry => {
    const stored = store.append(entry);
    meter.addEntry(stored);
    return stored;
  };
  return {
    state: { messages },
    store: () => store,
    append,
    isStale: (message) => stale.has(message),
    limitOf: (limits) => (message) => {
      if (message.role === "compactionSummary" || !stale.has(message)) return limits.any;
      return unanswered.has(message) ? limits.unanswered : limits.kept;
    },
    context: () => buildContext(store),
    rebuild,
    record(event) {
      switch (event.type) {
        case "message_end":
          if (event.discarded) return;
          return void append(entryOf(event.message));
        case "prompt_compiled": {
          const { id: entryId, timestamp } = append(manifestEntry(event.manifest, last));
          last = { entryId, timestamp, manifest: event.manifest };
          return;
        }
        case "turn_end":
          return store.syncSoon(); // the next request must not wait for the disk; the end of the run does
      }
    },
    open(next) {
      store.close();
      store = next;
      meter = meterOf(store.entries());
      last = manifestsOf(store.entries()).at(-1);
      return rebuild();
    },
    totals: () => meter.sums(),
    close: () => store.close(),
  };
}

function entryOf(message: AgentMessage): NewEntry {
  if (message.role !== "custom") return { type: "message", message };
  const { role: _role, timestamp: _timestamp, ...rest } = message;
  return { type: "custom_message", ...rest };
}

/** Sums over everything that was asked and answered in a session, left branches included: it was paid for. */
export interface Meter {
  add(message: AgentMessage): void;
  /** Summaries were paid for, too. */
  addEntry(entry: SessionEntry): void;
  sums(): SessionTotals;
}

/** The custom type of entries that hold what an answer of the model for an MCP server has cost. */
export const MCP_SAMPLING = "mcp_sampling";

const NOTHING_SPENT = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 };
const SPENT = Object.keys(NOTHING_SPENT) as (keyof typeof NOTHING_SPENT)[]; // its own keys

/** A meter that has read a session's entries. */
export function meterOf(entries: readonly SessionEntry[]): Meter {
  const sums = { ...NOTHING_SPENT, toolCalls: 0, userMessages: 0, assistantMessages: 0 };
  const add = (spent: Readonly<Record<string, unknown>>): void => {
    for (const name of SPENT) {
      const amount = spent[name];
      if (typeof amount === "number") sums[name] += amount;
    }
  };
  const spend = (usage: Usage | undefined): void => add({ ...usage, cost: usage?.cost?.total });
  /** As a file has it that anybody may have written. */
  const spendStored = (data: unknown): void => {
    const usage = isObject(data) ? data["usage"] : undefined;
    if (isObject(usage)) add({ ...usage, cost: isObject(usage["cost"]) ? usage["cost"]["total"] : undefined });
  };
  /** Sub-agents have sessions of their own, and were paid for here. */
  const spendElsewhere = ({ toolName, details = {} }: ToolResultMessage): void => {
    const { subAgent } = details;
    const totals = toolName === "task" && isObject(subAgent) ? subAgent["totals"] : undefined;
    if (isObject(totals)) add(totals);
  };
  const meter: Meter = {
    add(message) {
      if (message.role === "user") sums.userMessages++;
      if (message.role === "toolResult") spendElsewhere(message);
      if (message.role !== "assistant") return;
      sums.assistantMessages++;
      sums.toolCalls += toolCallsOf(message).length;
      spend(message.usage);
    },
    addEntry(entry) {
      if (entry.type === "message") meter.add(entry.message);
      if (entry.type === "compaction" || entry.type === "branch_summary") spend(entry.usage);
      if (entry.type === "custom" && [ROLLING_SUMMARY, MCP_SAMPLING].includes(entry.customType)) {
        spendStored(entry.data);
      }
    },
    sums: () => ({ ...sums }),
  };
  for (const entry of entries) meter.addEntry(entry);
  return meter;
}

/** What is told when another session, branch or name is there. */
export function sessionChanged(
  { header, path, entries }: Pick<SessionStore, "header" | "path" | "entries">,
  reason: SessionChanged["reason"],
): SessionChanged {
  const name = sessionName(entries());
  return {
    type: "session_changed",
    reason,
    sessionId: header.id,
    ...(path ? { sessionFile: path } : {}),
    ...(name ? { sessionName: name } : {}),
  };
}

type SessionChanged = Extract<AgentEvent, { readonly type: "session_changed" }>;

/** An entry of a session; throws UserError for one that it does not hold. */
export function entryIn(store: Pick<SessionStore, "entry">, id: string): SessionEntry {
  const entry = store.entry(id);
  if (entry) return entry;
  throw new UserError({
    what: `There is no entry "${id}"`,
    why: "the session does not hold it",
    fix: "Take one from the session's tree",
  });
}

/** Keeps the calls of each session in its own audit, also after another one was begun. */
export function auditOf(
  conversation: Pick<Conversation, "store">,
  folder: string | undefined,
  say: (notice: string) => void,
): (event: AgentEvent) => void {
  if (folder === undefined) return () => {};
  const open = (session: string) => ({
    session,
    audit: openAudit(folder, session, Date.now, (error) => say(`the audit cannot be written: ${messageOf(error)}`)),
  });
  let current = open(conversation.store().header.id);
  return (event) => {
    const { id } = conversation.store().header;
    if (id !== current.session) current = open(id);
    current.audit.read(event);
  };
}

/**
 * How full the context is, for display: the tokens that the last reply reported, else those that a compaction left, and
 * about those of the messages since.
 */
export function contextTokens({ state: { messages }, isStale }: Pick<Conversation, "state" | "isStale">): number {
  const at = messages.findLastIndex((message) =>
    isStale(message) || (message.role === "assistant" && (message.usage?.totalTokens ?? 0) > 0)
  );
  const [first] = messages;
  const last = messages[at];
  const known = last && isStale(last)
    ? first?.role === "compactionSummary" ? first.tokensAfter ?? 0 : 0
    : last?.role === "assistant"
    ? last.usage?.totalTokens ?? 0
    : 0;
  return messages.slice(at + 1).reduce((sum, message) => sum + roughTokens(messageBound(message)), known);
}
