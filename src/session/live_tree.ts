import type { UserError } from "../core/error.ts";
import type { EntryBase, NewEntry, SessionEntry, SessionHeader, SessionStore } from "../core/session.ts";
import { entryLine } from "./entry_shape.ts";
import { fileFailure } from "./failure.ts";
import { makeEntryId } from "./identifiers.ts";
import { pathIn } from "./tree.ts";

/** What an open session needs of the world. */
export interface StoreOptions {
  /** Milliseconds since the epoch; may go backwards, the times in a session do not. */
  readonly now: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  /** Called at most once, with what to tell the person: from here on the session is in memory only. */
  readonly onFailure: (failure: UserError) => void;
  /** What was left out or mended when a session was read, one sentence each. */
  readonly onNotice?: (notice: string) => void;
}

/** Where lines go. All but `path` and `close` may throw; after that only `close` is called. */
export interface Sink {
  /** Undefined when nothing is kept. */
  readonly path: () => string | undefined;
  /** Called once, before anything else. */
  readonly start: () => void;
  readonly add: (entry: SessionEntry, line: string) => void;
  readonly sync: () => void;
  readonly syncSoon: () => void;
  /** Safe to call twice. */
  readonly close: () => void;
}

/** What a session is when it is opened. */
export interface Beginning {
  readonly header: SessionHeader;
  /** From here on the store's own. */
  readonly entries: SessionEntry[];
  readonly byId: Map<string, SessionEntry>;
  /** The latest time among them, milliseconds. */
  readonly lastTime: number;
}

/** The tree in memory; what is appended goes to `sink` until that fails. Without one nothing is kept. */
export function openTree(
  { header, entries, byId, lastTime: firstTime }: Beginning,
  sink: Sink | undefined,
  { now, random, onFailure }: StoreOptions,
): SessionStore {
  let leaf = entries.at(-1)?.id ?? null;
  let lastTime = firstTime;
  let isKept = sink !== undefined;

  const path = sink?.path() ?? ""; // it has none any more when its file cannot be made

  function attempt(action: (to: Sink) => void): void {
    if (!isKept || sink === undefined) return;
    try {
      action(sink);
    } catch (error) {
      isKept = false;
      sink.close(); // nothing more is written, so that others may have the file
      onFailure(fileFailure(error, path));
    }
  }

  attempt((to) => to.start());
  return {
    header,
    get path() {
      return sink?.path();
    },
    entries: () => entries,
    entry: (id) => byId.get(id),
    leaf: () => leaf,
    pathTo: (id = leaf) => pathIn(byId, id),
    append(added) {
      const time = Math.max(lastTime, now());
      const id = makeEntryId(random, (taken) => byId.has(taken));
      const entry = placed(added, { id, parentId: leaf, timestamp: new Date(time).toISOString() });
      const line = isKept ? entryLine(entry) : ""; // before anything changes: data may be more than JSON can carry
      lastTime = time;
      entries.push(entry);
      byId.set(id, entry);
      leaf = id;
      attempt((to) => {
        to.add(entry, line);
        if (entry.type === "message" && entry.message.role === "user") to.sync();
      });
      return entry;
    },
    branch(id) {
      if (id !== null && !byId.has(id)) throw new Error(`no entry ${id} in this session`);
      leaf = id;
    },
    sync: () => attempt((to) => to.sync()),
    syncSoon: () => attempt((to) => to.syncSoon()),
    close() {
      isKept = false;
      sink?.close();
    },
  };
}

function placed(added: NewEntry, base: EntryBase): SessionEntry {
  // Type and place come first in the line, for those who look at lines without parsing them, and a whole entry that is
  // given for a new one gets a place of its own. A member of the union stays one when these fields are added, which
  // the type system does not follow.
  return Object.assign({ type: added.type }, base, added, base) as SessionEntry;
}
