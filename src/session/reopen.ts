import { dirname, resolve } from "@std/path";
import { UserError } from "../core/error.ts";
import type { NamedFiles } from "../core/named_files.ts";
import type { SessionStore } from "../core/session.ts";
import { readHeader } from "./header.ts";
import { loadSession } from "./load.ts";
import { lockSession, type SessionLock } from "./lock.ts";
import { openSessionFile, type SessionFile } from "./session_file.ts";
import { begin, newSink, openTree, sessionPath, type Sink, type StoreOptions } from "./store.ts";

/**
 * Opens a session to go on with it: nobody else can until it is closed.
 *
 * A session of an older format stays as it is: what is added goes, with all that it holds, to a new file in `folder`
 * (its own folder when left out). Throws `UserError` when the file is no session, or is open elsewhere.
 */
export function openSession(path: string, options: StoreOptions & { readonly folder?: string }): SessionStore {
  const { version } = readHeader(path);
  const { real } = options.files.find(resolve(path), { access: "write", typed: true }); // one lock, whatever links lead there
  if (version < 3) return openOld(real, options);
  const lock = tryLock(real, options);
  try {
    const loaded = loadSession(real);
    for (const notice of loaded.notices) options.onNotice?.(notice);
    return openTree(loaded, existingSink(real, lock, loaded, options.files), options);
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
  return openTree(beginning, newSink(to, beginning, options, false), options);
}

function existingSink(
  path: string,
  lock: TriedLock,
  read: { readonly size: number; readonly wholeBytes: number },
  files: NamedFiles,
): Sink {
  let file: SessionFile | undefined;
  return {
    path: () => path,
    start() {
      if (lock.failure !== undefined) throw lock.failure;
      file = openSessionFile(path, lock, read, files);
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
function tryLock(path: string, { now, files }: Pick<StoreOptions, "now" | "files">): TriedLock {
  try {
    return lockSession(path, now(), files);
  } catch (failure) {
    if (failure instanceof UserError) throw failure;
    return { failure, release: () => {} };
  }
}
