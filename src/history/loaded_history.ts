import { type AgentMessage, toolCallsOf, type Usage } from "../core/message.ts";
import { type CustomEntry, type NewEntry, ROLLING_SUMMARY, type SessionEntry } from "../core/session.ts";
import { cutPlaces } from "./cut.ts";

/** Newest completed entries that are looked at (R304). */
const MAX_ENTRIES = 200;

/** The conversation before the new prompt, which is never part of what is compressed. */
export interface RollingInput {
  readonly messages: readonly AgentMessage[];
  /** Entry of each message, same order. */
  readonly entryIds: readonly string[];
  /** From the session's first entry to its leaf. */
  readonly path: readonly SessionEntry[];
}

/** What of a conversation rolling history works with. */
export interface LoadedHistory {
  /** Of completed turns, oldest first; nothing that a stored summary covers. */
  readonly messages: readonly AgentMessage[];
  /** Of `messages`. */
  readonly turns: readonly Turn[];
  /** Entry of the newest of `messages`. */
  readonly lastEntryId: string | undefined;
  /** Whether older messages are omitted that no summary covers. */
  readonly isCut: boolean;
  /** What stands at the end and belongs to the prompt to come: commands that the person ran, notes. */
  readonly pending: readonly AgentMessage[];
}

/** Loads the newest completed turns, 200 messages at most (R304, R305); of a longer single turn its beginning and end. */
export function loadHistory(
  { messages, entryIds, path }: RollingInput,
  stored: StoredSummary | undefined,
): LoadedHistory {
  const start = stored ? uncoveredFrom(stored, path, entryIds) : 0;
  const all = turnsOf(messages.slice(start)).map(({ from, to, state }) => ({
    from: from + start,
    to: to + start,
    state,
  }));
  const completed = all.filter(({ state }) => state === "completed");

  const chosen: (readonly Turn[])[] = [];
  let count = 0;
  for (const turn of completed.toReversed()) {
    const fits = count + turn.to - turn.from <= MAX_ENTRIES;
    if (!fits && count > 0) break;
    chosen.unshift(fits ? [turn] : shortened(messages, turn));
    if (!fits) break;
    count += turn.to - turn.from;
  }

  const loaded: AgentMessage[] = [];
  const turns: Turn[] = [];
  for (const parts of chosen) {
    const from = loaded.length;
    for (const part of parts) loaded.push(...messages.slice(part.from, part.to));
    turns.push({ from, to: loaded.length, state: "completed" });
  }
  const last = completed.at(-1);
  const pending = all.at(-1)?.state === "pending" ? messages.slice(all.at(-1)?.from) : [];
  const complete = completed.reduce((sum, { from, to }) => sum + to - from, 0);
  return {
    messages: loaded,
    turns,
    lastEntryId: last && entryIds[last.to - 1],
    isCut: loaded.length < complete,
    pending,
  };
}

/** What the person asked for and the newest messages of a turn that is too long; no result loses its call. */
function shortened(messages: readonly AgentMessage[], { from, to, state }: Turn): readonly Turn[] {
  let asked = from;
  while (messages[asked]?.role !== "assistant" && asked - from < MAX_ENTRIES) asked++;
  const isPlace = cutPlaces(messages.slice(from, to));
  let at = Math.max(asked, to - (MAX_ENTRIES - (asked - from)));
  while (at < to && !isPlace(at - from)) at++;
  return [{ from, to: asked, state }, { from: at, to, state }];
}

/** A stretch of the conversation from what a person said to the model's last word on it. Indexes of messages. */
interface Turn {
  readonly from: number;
  /** The first message after it. */
  readonly to: number;
  /**
   * `completed`: the model came to its end; `open`: it was stopped, cut short or is running; `pending`: nobody asked
   * the model yet.
   */
  readonly state: "completed" | "open" | "pending";
}

/** The turns of a conversation, in order; every message is in exactly one. */
export function turnsOf(messages: readonly AgentMessage[]): readonly Turn[] {
  const turns: Turn[] = [];
  for (let from = 0; from < messages.length;) {
    let to = from;
    while (to < messages.length && !ends(messages[to])) to++;
    to = Math.min(to + 1, messages.length);
    turns.push({ from, to, state: stateOf(messages.slice(from, to)) });
    from = to;
  }
  return turns;
}

/** A reply without calls ends a turn, and so does one that was stopped; a summary is a turn of its own. */
function ends(message: AgentMessage | undefined): boolean {
  if (message?.role === "compactionSummary" || message?.role === "branchSummary") return true;
  if (message?.role !== "assistant") return false;
  return toolCallsOf(message).length === 0 || message.stopReason === "aborted" || message.stopReason === "error";
}

function stateOf(turn: readonly AgentMessage[]): Turn["state"] {
  const last = turn.at(-1);
  if (ends(last)) {
    const isWhole = last?.role !== "assistant" || last.stopReason === "stop" || last.stopReason === "length";
    return isWhole ? "completed" : "open";
  }
  return turn.some(({ role }) => role === "user" || role === "assistant") ? "open" : "pending";
}

/** The memory of a long conversation, as the session keeps it (R316). */
export interface StoredSummary {
  readonly summary: string;
  /** The newest entry that the summary speaks of; what comes after it is sent as it was. */
  readonly coveredThrough: string;
}

/** The entry that stores a summary, and what asking for it has cost; without a summary that cost alone. */
export function rollingEntry(summary: StoredSummary | undefined, usage?: Usage): NewEntry<CustomEntry> {
  const data = { version: 1, ...summary, ...(usage ? { usage } : {}) };
  return { type: "custom", customType: ROLLING_SUMMARY, data };
}

/** The newest summary of a path (R317); entries that do not look like one are passed over. */
export function storedSummary(path: readonly SessionEntry[]): StoredSummary | undefined {
  for (const entry of path.toReversed()) {
    const summary = entry.type === "custom" && entry.customType === ROLLING_SUMMARY ? read(entry.data) : undefined;
    if (summary && path.some(({ id }) => id === summary.coveredThrough)) return summary;
  }
  return undefined;
}

/** Index of the first message that a summary does not cover (R318). */
function uncoveredFrom(
  { coveredThrough }: StoredSummary,
  path: readonly SessionEntry[],
  entryIds: readonly string[],
): number {
  const covered = new Set(path.slice(0, path.findIndex(({ id }) => id === coveredThrough) + 1).map(({ id }) => id));
  const index = entryIds.findIndex((id) => !covered.has(id));
  return index < 0 ? entryIds.length : index;
}

/** The file may have been written by anybody. */
function read(data: unknown): StoredSummary | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  if (!("summary" in data) || !("coveredThrough" in data)) return undefined;
  const { summary, coveredThrough } = data;
  if (typeof summary !== "string" || typeof coveredThrough !== "string") return undefined;
  return { summary, coveredThrough };
}
