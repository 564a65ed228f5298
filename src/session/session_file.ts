import { dirname } from "@std/path";
import { INCOMPLETE, lockSession, type SessionLock } from "./lock.ts";
import { messageOf, UserError } from "../core/error.ts";
import { makeDirectories, type NamedFiles } from "../core/named_files.ts";
import { attempt } from "../core/support/attempt.ts";

/**
 * A session's file, locked and open for adding lines.
 *
 * Everything but `close` throws what the system throws; after a failure nothing more may be added.
 */
export interface SessionFile {
  readonly path: string;
  /** Adds whole lines (given without their newlines) with one write; what a failed write left is cut off again. */
  add(lines: readonly string[]): void;
  /** Waits until everything added is on the disk. */
  sync(): void;
  /** Has everything added put on the disk without waiting for it; the next call of another method throws what failed. */
  syncSoon(): void;
  /** Safe to call twice. */
  close(): void;
}

/** Units of text that are written at once; a copied session may be longer than a string can be. */
const BATCH_UNITS = 4 * 1024 * 1024;
const NEWLINE = 10;
const encoder = new TextEncoder();

/** Creates a session's file, 0600 in a directory 0700, with its first lines on the disk. It must not exist. It gets its name when it is complete. */
export function createSessionFile(
  path: string,
  lines: readonly string[],
  { now, files }: { readonly now: number; readonly files: NamedFiles },
): SessionFile {
  makeDirectories(files, dirname(path), 0o700);
  const named = files.find(path, { access: "write", typed: true });
  const incomplete = files.find(`${path}${INCOMPLETE}`, { access: "write", typed: true, follow: false });
  const lock = lockSession(path, now, files);
  let file: Deno.FsFile | undefined;
  try {
    if (files.status(named) !== undefined) throw new Deno.errors.AlreadyExists(`${path} exists`);
    file = files.create(incomplete, 0o600);
    const session = writerOf(path, file, lock, { size: 0, wholeBytes: 0 });
    session.add(lines);
    session.sync();
    files.rename(incomplete, named);
    syncFolder(dirname(path));
    return session;
  } catch (error) {
    if (file !== undefined) attempt(() => files.remove(incomplete));
    file?.close();
    lock.release();
    throw error;
  }
}

/** Opens a session's file that was read when it had `size` bytes; those after `wholeBytes` are cut off before anything is added. */
export function openSessionFile(
  path: string,
  lock: SessionLock,
  read: { readonly size: number; readonly wholeBytes: number },
  files: NamedFiles,
): SessionFile {
  return writerOf(path, files.update(files.find(path, { access: "write", typed: true })), lock, read);
}

function writerOf(
  path: string,
  file: Deno.FsFile,
  lock: SessionLock,
  read: { readonly size: number; readonly wholeBytes: number },
): SessionFile {
  let { size } = read;
  const background = backgroundSync(path, file);
  let isDirty = false;
  let isChecked = false;
  let isClosed = false;

  /** Where the next line begins; ends a last line that has no newline, cuts off one that is torn. */
  function startOfLine(): string {
    // Whether it is still there is looked at with the first line after each sync: a turn's other lines follow at once.
    if (isDirty && isChecked && file.seekSync(0, Deno.SeekMode.End) === size) return "";
    const found = file.statSync();
    if (found.nlink === 0) throw new Deno.errors.NotFound("the file was removed");
    if (isChecked && found.size === size) return "";
    isChecked = true;
    // Only when nobody has written since it was read: what looked torn may have been completed.
    if (found.size === read.size && read.wholeBytes < read.size) file.truncateSync(read.wholeBytes);
    size = file.statSync().size;
    return size === 0 || lastByte() === NEWLINE ? "" : "\n";
  }

  function lastByte(): number | undefined {
    const byte = new Uint8Array(1);
    file.seekSync(-1, Deno.SeekMode.End);
    return file.readSync(byte) === 1 ? byte[0] : undefined;
  }

  function write(text: string): void {
    const bytes = encoder.encode(text);
    try {
      for (let written = 0; written < bytes.length;) written += file.writeSync(bytes.subarray(written));
    } catch (error) {
      attempt(() => file.truncateSync(size)); // Else the next reader finds a torn last line, and leaves it out.
      throw error;
    }
    size += bytes.length;
  }

  return {
    path,
    add(lines) {
      background.check();
      let text = startOfLine();
      isDirty = true;
      for (const line of lines) {
        text += line + "\n";
        if (text.length < BATCH_UNITS) continue;
        write(text);
        text = "";
      }
      if (text !== "") write(text);
    },
    sync() {
      background.check();
      if (!background.takeOver() && !isDirty) return;
      if (file.statSync().nlink === 0) throw new Deno.errors.NotFound("the file was removed");
      file.syncDataSync();
      isDirty = false;
    },
    syncSoon() {
      background.check();
      if (isDirty) background.start();
      isDirty = false;
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      background.close();
      file.close();
      lock.release();
    },
  };
}

/** A new name is on the disk only when its folder is. Not every system can do that. */
function syncFolder(folder: string): void {
  try {
    const opened = Deno.openSync(folder, { read: true });
    try {
      opened.syncSync();
    } finally {
      opened.close();
    }
  } catch {
    // The lines themselves are on the disk.
  }
}

/** Puts a file on the disk while others go on: a disk needs milliseconds, and nobody has to wait for them at a turn's end. */
export interface BackgroundSync {
  /** Begins a moment later; what is added while it runs is put on the disk right after, if this is called again. */
  start(): void;
  /** Throws what an earlier one failed with. */
  check(): void;
  /** Whether something is not on the disk yet: the caller syncs it himself, and what has not begun is not begun. */
  takeOver(): boolean;
  /** Lets go of the file; one that runs comes to its end. Safe to call twice. */
  close(): void;
}

/** Turns of a model that answers at once, or of calls that fail, are put on the disk together. */
const TOGETHER_MS = 100;

/** For the file at `path`, which `file` is: a handle that syncs in the background cannot be written to, so it gets its own. */
export function backgroundSync(path: string, file: Deno.FsFile): BackgroundSync {
  let own: Deno.FsFile | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isRunning = false;
  let isAskedAgain = false;
  let isClosed = false;
  let failed: { readonly error: unknown } | undefined;

  function open(): Deno.FsFile {
    const opened = Deno.openSync(path, { read: true });
    const [there, here] = [opened.statSync(), file.statSync()];
    if (there.ino === here.ino && there.dev === here.dev) return opened;
    opened.close();
    throw new Deno.errors.NotFound("the file was removed");
  }

  async function run(): Promise<void> {
    timer = undefined;
    try {
      do {
        isAskedAgain = false;
        own ??= open();
        await own.syncData();
      } while (isAskedAgain && !isClosed);
    } catch (error) {
      if (!isClosed) failed = { error };
    } finally {
      isRunning = false;
    }
  }

  return {
    start() {
      if (isRunning) {
        isAskedAgain = true;
        return;
      }
      isRunning = true;
      timer = setTimeout(run, TOGETHER_MS);
    },
    check() {
      if (failed) throw failed.error;
    },
    takeOver() {
      const wasRunning = isRunning;
      if (timer !== undefined) {
        clearTimeout(timer);
        timer = undefined;
        isRunning = false;
      }
      return wasRunning;
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      clearTimeout(timer);
      own?.close();
    },
  };
}

/** What a person is told when a session can no longer be kept; the run goes on (R333). */
export function fileFailure(error: unknown, path: string): UserError {
  const [why, advice] = causeOf(error);
  return new UserError({
    what: `Cannot keep the session in "${path}"`,
    why,
    fix: `${advice}. From here on this session is in memory only and ends with this process`,
  }, { cause: error });
}

/** What is told when a session could not be copied into `folder`; what is no failure of the disk stays as it is. */
export function copyFailure(error: unknown, folder: string): unknown {
  if (error instanceof UserError) return error;
  const [why, fix] = causeOf(error);
  return new UserError({ what: `Cannot copy the session into "${folder}"`, why, fix }, { cause: error });
}

function causeOf(error: unknown): readonly [why: string, advice: string] {
  // Deno has no class for these.
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOSPC" || code === "EDQUOT") return ["the disk is full", "Free some space"];
  if (code === "EROFS") return ["the file system is read-only", "Choose another folder: --session-dir DIR"];
  if (error instanceof Deno.errors.NotFound) {
    return ["the file or its folder was removed", "Start anew to keep what follows"];
  }
  if (error instanceof Deno.errors.NotCapable) {
    return [
      "this program itself may not write there",
      "Grant it with --allow-write, or turn sessions off: --no-session",
    ];
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    return ["the system denies writing it", "Change its permissions, or choose another folder: --session-dir DIR"];
  }
  return [messageOf(error), "Choose another folder: --session-dir DIR"];
}
