// One process at a time writes to a session. A lock of the kernel is taken, because it ends with the process that holds
// it, however that process ends; the file beside the session is only what the lock is on and says who has it.
import { join } from "@std/path";
import { UserError } from "../core/error.ts";
import type { Access, NamedFile, NamedFiles } from "../core/named_files.ts";
import { attempt } from "../core/support/attempt.ts";
import { readHeader } from "./header.ts";

/** A session that no other process can open for writing. */
export interface SessionLock {
  /** Safe to call twice. */
  release(): void;
}

/** A holder that ends removes its lock file; whoever opened that file just before has to start over. */
const ATTEMPTS = 20;
/** A lock file that is removed is gone after this time. */
const REMOVAL_MS = 2;
const SUFFIX = ".lock";
/** What is added to the name of a session's file until the file is complete. Only the holder of the lock uses this name. */
export const INCOMPLETE = ".new";
/** What a lock file says about its holder is shorter; bytes. */
const MAX_LOCK_BYTES = 4096;

/**
 * Takes the lock of the session at `path` without waiting. `files` opens the file beside it.
 *
 * Throws `UserError` when another process (or this one, through another store) has it, and errors of the system when no
 * lock file can be made there.
 */
export function lockSession(path: string, now: number, files: NamedFiles): SessionLock {
  const lock = files.find(`${path}${SUFFIX}`, { access: "write", typed: true, follow: false });
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const file = openLockFile(files, lock);
    let isHeld = false;
    try {
      if (!file.tryLockSync(true) && !isFreeSoon(files, lock, file)) throw heldError(path, files, lock);
      isHeld = isStillAt(files, lock, file);
      if (isHeld) return holdLock(file, now, () => files.remove(lock));
    } finally {
      if (!isHeld) file.close();
    }
  }
  throw heldError(path, files, lock);
}

/** Whether a lock that was not free a moment ago is taken now, or its file is gone: `removeLeftLocks` holds one for a moment. */
function isFreeSoon(files: NamedFiles, lock: NamedFile, file: Deno.FsFile): boolean {
  if (!isStillAt(files, lock, file)) return true;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, REMOVAL_MS);
  return file.tryLockSync(true) || !isStillAt(files, lock, file);
}

/**
 * Removes the lock files in a directory of sessions that no process holds, and files of sessions that a killed process did not
 * complete. Throws what the system throws.
 */
export function removeLeftLocks(folder: string, files: NamedFiles): void {
  const find = (name: string, access: Access): NamedFile =>
    files.find(join(folder, name), { access, typed: true, follow: false });
  for (const { name, isFile } of files.list(files.find(folder, { access: "read", typed: true }))) {
    if (!isFile || !name.endsWith(SUFFIX)) continue;
    const lock = find(name, "write");
    attempt(() => {
      using file = files.update(lock);
      if (!file.tryLockSync(true) || !isStillAt(files, lock, file)) return;
      attempt(() => files.remove(find(`${name.slice(0, -SUFFIX.length)}${INCOMPLETE}`, "write"))); // There is rarely one.
      files.remove(lock);
    });
  }
}

function openLockFile(files: NamedFiles, lock: NamedFile): Deno.FsFile {
  // A link would have this program write into a file that somebody else chose.
  if (files.status(lock)?.isFile === false) {
    throw new UserError({
      what: `Cannot lock the session with "${lock.path}"`,
      why: "it is not a regular file",
      fix: "Remove it",
    });
  }
  return files.append(lock, 0o600);
}

function isStillAt(files: NamedFiles, lock: NamedFile, file: Deno.FsFile): boolean {
  const [there, own] = [attempt(() => files.status(lock)), file.statSync()];
  return there?.ino === own.ino && there.dev === own.dev;
}

function holdLock(file: Deno.FsFile, now: number, remove: () => void): SessionLock {
  try {
    file.truncateSync(0);
    file.writeSync(new TextEncoder().encode(JSON.stringify({ pid: Deno.pid, since: new Date(now).toISOString() })));
  } catch {
    // A full disk: the lock holds, only its holder has no name.
  }
  let isReleased = false;
  return {
    release() {
      if (isReleased) return;
      isReleased = true;
      // The folder is gone or cannot be written any more: a file without a lock on it keeps nobody out.
      attempt(remove);
      // Not by closing alone: a process that is being started may share the open file for a moment.
      file.unlockSync();
      file.close();
    },
  };
}

function heldError(path: string, files: NamedFiles, lock: NamedFile): UserError {
  // Where its first line cannot be read the file, which the same options take.
  const id = attempt(() => readHeader(path).header.id) ?? path;
  return new UserError({
    what: `Cannot open session ${id}`,
    why: `${holderOf(files, lock)}, and two would mix their messages`,
    fix: `Wait until it is closed there, or go on in a copy of it: --fork ${id}`,
  });
}

function holderOf(files: NamedFiles, lock: NamedFile): string {
  try {
    const text = new TextDecoder().decode(files.read({ ...lock, access: "read" }, MAX_LOCK_BYTES));
    const value: unknown = JSON.parse(text);
    const { pid, since } = value as { readonly pid?: unknown; readonly since?: unknown }; // destructuring null throws
    if (Number.isSafeInteger(pid) && typeof since === "string" && Number.isFinite(Date.parse(since))) {
      return `process ${pid} has had it open since ${new Date(since).toISOString()}`;
    }
  } catch {
    // It is being written, or the system keeps others from reading it: the lock itself is what counts.
  }
  return "another process has it open";
}
