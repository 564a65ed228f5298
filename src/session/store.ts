import { dirname, join } from "@std/path";
import { UserError } from "../core/error.ts";
import type { SessionEntry, SessionHeader, SessionStore } from "../core/session.ts";
import { entryLine } from "./entry_shape.ts";
import { readHeader } from "./header.ts";
import { isSessionId, makeSessionId } from "./identifiers.ts";
import { type Beginning, openTree, type Sink, type StoreOptions } from "./live_tree.ts";
import { loadSession } from "./load.ts";
import { lockSession, type SessionLock } from "./lock.ts";
import { createSessionFile, openSessionFile, type SessionFile } from "./session_file.ts";

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
  return openTree(beginning, newSink(path, beginning, options.now, beginning.entries.some(isSaid)), options);
}

/**
 * Opens a session to go on with it: nobody else can until it is closed.
 *
 * A session of an older format stays as it is: what is added goes, with all that it holds, to a new file in `folder`
 * (its own folder when left out). Throws `UserError` when the file is no session, or is open elsewhere.
 */
export function openSession(path: string, options: StoreOptions & { readonly folder?: string }): SessionStore {
  const { version } = readHeader(path);
  const real = Deno.realPathSync(path); // one lock, whatever links lead to the file
  if (version < 3) return openOld(real, options);
  const lock = tryLock(real, options.now());
  try {
    const loaded = loadSession(real);
    for (const notice of loaded.notices) options.onNotice?.(notice);
    return openTree(loaded, existingSink(real, lock, loaded), options);
  } catch (error) {
    lock.release();
    throw error;
  }
}

function openOld(path: string, options: StoreOptions & { readonly folder?: string }): SessionStore {
  const { header: { cwd }, entries, notices, version } = loadSession(path);
  const beginning = begin({ cwd, parentSession: path, entries }, options);
  const to = sessionPath(options.folder ?? dirname(path), beginning.header);
  for (const notice of notices) options.onNotice?.(notice);
  options.onNotice?.(`The session has format ${version} and stays as it is; what is added goes to "${to}"`);
  return openTree(beginning, newSink(to, beginning, options.now, false), options);
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

function begin(session: Omit<NewSession, "folder">, options: Pick<StoreOptions, "now" | "random">): Beginning {
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
function newSink(
  path: string,
  { header, entries }: Pick<Beginning, "header" | "entries">,
  now: () => number,
  isAtOnce: boolean,
): Sink {
  const first = [...entries]; // the list grows while the lines wait
  let waiting: string[] = [];
  let file: SessionFile | undefined;
  let isGivenUp = false;
  const make = (): void => {
    isGivenUp = true; // unless it works
    file = createSessionFile(path, [JSON.stringify(header), ...first.map(entryLine), ...waiting], now());
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

function existingSink(
  path: string,
  lock: TriedLock,
  read: { readonly size: number; readonly wholeBytes: number },
): Sink {
  let file: SessionFile | undefined;
  return {
    path: () => path,
    start() {
      if (lock.failure !== undefined) throw lock.failure;
      file = openSessionFile(path, lock, read);
    },
    add: (_entry, line) => file?.add([line]),
    sync: () => file?.sync(),
    syncSoon: () => file?.syncSoon(),
    close: () => file === undefined ? lock.release() : file.close(),
  };
}

interface TriedLock extends SessionLock {
  /** Why there is none: no lock file can be made there, and nothing else either. */
  readonly failure?: unknown;
}

/** Somebody else's lock is an error; where no lock can be made the session can still be read. */
function tryLock(path: string, now: number): TriedLock {
  try {
    return lockSession(path, now);
  } catch (failure) {
    if (failure instanceof UserError) throw failure;
    return { failure, release: () => {} };
  }
}
