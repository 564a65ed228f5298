import { join } from "@std/path";
import { UserError } from "../core/error.ts";
import type { EntryBase, NewEntry, SessionEntry, SessionHeader, SessionStore } from "../core/session.ts";
import type { NamedFiles } from "../core/named_files.ts";
import { entryLine } from "./entry_shape.ts";
import type { Beginning } from "./load.ts";
import { createSessionFile, fileFailure, type SessionFile } from "./session_file.ts";
import { isSessionId, makeEntryId, makeSessionId } from "./identifiers.ts";
import { pathIn } from "./tree.ts";

/** What a new session is. */
export interface NewSession {
  /** The workspace: absolute. */
  readonly cwd: string;
  /** Where its file will be: what `sessionsFolder()` or `--session-dir` names. */
  readonly folder: string;
  /** Made up when it is left out. */
  readonly id?: string;
  /** File of the session that it comes from. */
  readonly parentSession?: string;
  /** What it begins with: entries of another session, with their ids. */
  readonly entries?: readonly SessionEntry[];
}

/** A session in memory and nowhere else (R334). */
export function memorySession(
  session: Pick<NewSession, "cwd" | "id" | "parentSession" | "entries">,
  options: Pick<StoreOptions, "now" | "random">,
): SessionStore {
  return openTree(begin(session, options), undefined, { ...options, onFailure: () => {} });
}

/**
 * A new session. Its file is made with the first message of the conversation, so that a session in which nothing was
 * said leaves none; one that begins with a conversation has its file at once.
 */
export function createSession(session: NewSession, options: StoreOptions): SessionStore {
  const beginning = begin(session, options);
  const path = sessionPath(session.folder, beginning.header);
  return openTree(beginning, newSink(path, beginning, options, beginning.entries.some(isSaid)), options);
}

/** The file of a session: names sort by time. */
export function sessionPath(folder: string, { id, timestamp }: SessionHeader): string {
  return join(folder, `${timestamp.replace(/[:.]/g, "-")}_${id}.jsonl`);
}

/** The header of a new session. Throws `UserError` for an id that cannot be one. */
export function newHeader(
  { cwd, id, parentSession }: Pick<NewSession, "cwd" | "id" | "parentSession">,
  { now, random }: Pick<StoreOptions, "now" | "random">,
): SessionHeader {
  const time = now();
  if (id !== undefined && !isSessionId(id)) {
    throw new UserError({
      what: `Cannot start a session named "${id}"`,
      why: "an id has letters, digits and, inside, `.`, `_` and `-`, at most 128 of them",
      fix: "Choose another one, or none",
    });
  }
  return {
    type: "session",
    version: 3,
    sandpiper: 1,
    id: id ?? makeSessionId(time, random),
    timestamp: new Date(time).toISOString(),
    cwd,
    ...(parentSession === undefined ? {} : { parentSession }),
  };
}

/** What a new session begins with. */
export function begin(session: Omit<NewSession, "folder">, options: Pick<StoreOptions, "now" | "random">): Beginning {
  const header = newHeader(session, options);
  const entries = [...session.entries ?? []];
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const times = entries.map(({ timestamp }) => Date.parse(timestamp));
  return { header, entries, byId, lastTime: times.reduce((a, b) => Math.max(a, b), Date.parse(header.timestamp)) };
}

/** Somebody said something: now there is a session worth a file. */
function isSaid(entry: SessionEntry): boolean {
  return entry.type === "message" && (entry.message.role === "user" || entry.message.role === "assistant");
}

/** A file that is made when something is said; until then lines wait. */
export function newSink(
  path: string,
  { header, entries }: Pick<Beginning, "header" | "entries">,
  { now, files }: Pick<StoreOptions, "now" | "files">,
  isAtOnce: boolean,
): Sink {
  const first = [...entries]; // the list grows while the lines wait
  let waiting: string[] = [];
  let file: SessionFile | undefined;
  let isGivenUp = false;
  const make = (): void => {
    isGivenUp = true; // unless it works
    const lines = [JSON.stringify(header), ...first.map(entryLine), ...waiting];
    file = createSessionFile(path, lines, { now: now(), files });
    isGivenUp = false;
    waiting = [];
  };
  return {
    path: () => isGivenUp ? undefined : path,
    start() {
      if (isAtOnce) make();
    },
    add(entry, line) {
      if (file !== undefined) return file.add([line]);
      waiting.push(line);
      if (isSaid(entry)) make();
    },
    sync: () => file?.sync(),
    syncSoon: () => file?.syncSoon(),
    close: () => file?.close(),
  };
}

/** What an open session needs of the world. */
export interface StoreOptions {
  /** Milliseconds since the epoch; may go backwards, the times in a session do not. */
  readonly now: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  /** Opens what is written. */
  readonly files: NamedFiles;
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

/** The tree in memory; what is appended goes to `sink` until that fails. Without one nothing is kept. */
export function openTree(
  { header, entries, byId, lastTime: firstTime }: Beginning,
  sink: Sink | undefined,
  { now, random, onFailure }: Omit<StoreOptions, "files">,
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
