import type { AgentMessage } from "../core/message.ts";
import type { SessionEntry } from "../core/session.ts";
import { cutPlaces } from "./cut.ts";
import { type StoredSummary, uncoveredFrom } from "./rolling_store.ts";
import { type Turn, turnsOf } from "./turns.ts";

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
  return { messages: loaded, turns, lastEntryId: last && entryIds[last.to - 1], pending };
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
