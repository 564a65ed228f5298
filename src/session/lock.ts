// One process at a time writes to a session. A lock of the kernel is taken, because it ends with the process that holds
// it, however that process ends; the file beside the session is only what the lock is on and says who has it.
import { UserError } from "../core/error.ts";
import { attempt, ifThere } from "../core/support/attempt.ts";
import { entryAt } from "../core/support/on_disk.ts";
import { readHeader } from "./header.ts";

/** A session that no other process can open for writing. */
export interface SessionLock {
  /** Safe to call twice. */
  release(): void;
}

/** A holder that ends removes its lock file; whoever opened that file just before has to start over. */
const ATTEMPTS = 20;

/**
 * Takes the lock of the session at `path` without waiting.
 *
 * Throws `UserError` when another process (or this one, through another store) has it, and errors of the system when no
 * lock file can be made there.
 */
export function lockSession(path: string, now: number): SessionLock {
  const lockPath = `${path}.lock`;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const file = openLockFile(lockPath);
    let isHeld = false;
    try {
      if (!file.tryLockSync(true)) throw heldError(path, lockPath);
      isHeld = isStillAt(lockPath, file);
      if (isHeld) return holdLock(file, lockPath, now);
    } finally {
      if (!isHeld) file.close();
    }
  }
  throw heldError(path, lockPath);
}

function openLockFile(lockPath: string): Deno.FsFile {
  // A link would have this program write into a file that somebody else chose.
  if (ifThere(() => Deno.lstatSync(lockPath))?.isFile === false) {
    throw new UserError({
      what: `Cannot lock the session with "${lockPath}"`,
      why: "it is not a regular file",
      fix: "Remove it",
    });
  }
  return Deno.openSync(lockPath, { read: true, write: true, create: true, mode: 0o600 });
}

function isStillAt(lockPath: string, file: Deno.FsFile): boolean {
  const [there, own] = [entryAt(lockPath), file.statSync()];
  return there?.ino === own.ino && there.dev === own.dev;
}

function holdLock(file: Deno.FsFile, lockPath: string, now: number): SessionLock {
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
      attempt(() => Deno.removeSync(lockPath));
      // Not by closing alone: a process that is being started may share the open file for a moment.
      file.unlockSync();
      file.close();
    },
  };
}

function heldError(path: string, lockPath: string): UserError {
  // Where its first line cannot be read the file, which the same options take.
  const id = attempt(() => readHeader(path).header.id) ?? path;
  return new UserError({
    what: `Cannot open session ${id}`,
    why: `${holderOf(lockPath)}, and two would mix their messages`,
    fix: `Wait until it is closed there, or go on in a copy of it: --fork ${id}`,
  });
}

function holderOf(lockPath: string): string {
  try {
    const value: unknown = JSON.parse(Deno.readTextFileSync(lockPath));
    const { pid, since } = value as { readonly pid?: unknown; readonly since?: unknown }; // destructuring null throws
    if (Number.isSafeInteger(pid) && typeof since === "string" && Number.isFinite(Date.parse(since))) {
      return `process ${pid} has had it open since ${new Date(since).toISOString()}`;
    }
  } catch {
    // It is being written, or the system keeps others from reading it: the lock itself is what counts.
  }
  return "another process has it open";
}
