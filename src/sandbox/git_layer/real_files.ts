// Files of a real repository: read without following a link or waiting, written in one step. Their text is bytes, whatever they
// are encoded in: a character for each, as in byte_path.ts.
import { basename, dirname } from "@std/path";
import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import { attempt } from "../../core/support/attempt.ts";
import { isFresh } from "../system/disk.ts";
import { readRegular } from "../system/regular_file.ts";
import type { SharedModes } from "./shared_modes.ts";
import { statusOf } from "../system/statx.ts";
import { isOwnerGone, ownerPrefix } from "../system/temporary_folder.ts";

const PUT_TRIES = 5;
const LOCK_TRIES = 40;
const LOCK_PAUSE_MS = 50;
const OWN = ".sandpiper-";
const HELD_MS = 60_000;

/** The bytes of a file; undefined where it is none, is longer than `most`, or cannot be read. */
export function bytesAt(path: string, most: number): Uint8Array<ArrayBuffer> | undefined {
  return attempt(() => readRegular(path, most));
}

/** How long nobody wrote to a file or directory, milliseconds; 0 if it is gone. */
export function ageMs(path: string): number {
  const time = attempt(() => Deno.lstatSync(path).mtime?.getTime());
  return time === undefined ? 0 : Date.now() - time;
}

/** Looks at a file again and again, which is read only where it changed since the last look. */
export function openLook(path: string, most: number): () => Uint8Array<ArrayBuffer> | undefined {
  let last: { readonly stamp: string | undefined; readonly bytes: Uint8Array<ArrayBuffer> | undefined } | undefined;
  return () => {
    const status = statusOf(path);
    if (last === undefined || last.stamp !== status?.stamp) {
      const bytes = status && bytesAt(path, most);
      const isSure = (status === undefined || !isFresh(status.changedMs)) && statusOf(path)?.stamp === status?.stamp;
      last = isSure ? { stamp: status?.stamp, bytes } : undefined;
      return bytes;
    }
    return last.bytes;
  };
}

/** The bytes of a file, a character for each. */
export function rawAt(path: string, most: number): string | undefined {
  const bytes = bytesAt(path, most);
  return bytes && Buffer.from(bytes).toString("latin1");
}

/** The same as UTF-8. */
export function textAt(path: string, most: number): string | undefined {
  const bytes = bytesAt(path, most);
  return bytes && new TextDecoder().decode(bytes);
}

/** A lock as git makes it of a file, which is written anew or left as it is. */
export interface Lock extends Disposable {
  /** Puts these bytes in the file's place; the lock is gone then. */
  commit(bytes: Uint8Array, shared?: SharedModes): void;
}

/**
 * Makes the lock of a file, for which it waits: git holds such a lock for as long as it takes to write an index. A lock is
 * a second name of a file of ours, by which it is known for our own, and removed, where a program was ended that held it.
 */
export async function openLock(path: string): Promise<Lock> {
  const lock = `${path}.lock`;
  const own = `${path}.${ownerPrefix()}${randomUUID().slice(0, 8)}`;
  removeLeftLocks(path);
  Deno.writeFileSync(own, new Uint8Array(), { createNew: true });
  try {
    for (let left = LOCK_TRIES; !makeLock(own, lock, left === 0); left--) {
      await new Promise((resolve) => setTimeout(resolve, LOCK_PAUSE_MS));
    }
  } catch (error) {
    removeFile(own);
    throw error;
  }
  let isHeld = true;
  return {
    commit(bytes, shared) {
      Deno.writeFileSync(lock, bytes);
      shared?.file(lock);
      Deno.renameSync(lock, path);
      isHeld = false;
    },
    [Symbol.dispose]() {
      if (isHeld) removeFile(lock);
      removeFile(own);
    },
  };
}

/** Whether the lock could be made. Where a file cannot have two names it is one that nobody knows for ours. */
function makeLock(own: string, lock: string, isLast: boolean): boolean {
  try {
    Deno.linkSync(own, lock);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) {
      if (isLast) throw error;
      return false;
    }
    Deno.openSync(lock, { write: true, createNew: true }).close();
  }
  return true;
}

/**
 * Removes locks of ours that nobody holds any more: their owner has ended, or they are older than the time that one index takes to
 * be read and written.
 */
export function removeLeftLocks(path: string): void {
  const [folder, prefix] = [dirname(path), `${basename(path)}${OWN}`];
  for (const { name } of attempt(() => [...Deno.readDirSync(folder)]) ?? []) {
    if (!name.startsWith(prefix)) continue;
    if (!isOwnerGone(name.slice(basename(path).length + 1)) && ageMs(`${folder}/${name}`) < HELD_MS) continue;
    const own = statusOf(`${folder}/${name}`);
    if (own !== undefined && own.identity === statusOf(`${path}.lock`)?.identity) removeFile(`${path}.lock`);
    removeFile(`${folder}/${name}`);
  }
}

/**
 * Writes a file of a repository's folder, a character for each byte, in one step, so that nobody finds half of it. What is left
 * by a program that was ended hard is among the objects, where git removes it.
 */
export function putFile(folder: string, path: string, content: string, shared?: SharedModes): void {
  // What a linked working folder has of its own lies in worktrees/NAME of its repository, and has no objects.
  const objects = statusOf(`${folder}/objects`) === undefined ? `${folder}/../../objects` : `${folder}/objects`;
  for (let left = PUT_TRIES - 1;; left--) {
    const made = `${objects}/tmp_sandpiper_${randomUUID()}`;
    try {
      if (shared) shared.makeDirectory(dirname(`${folder}/${path}`));
      else Deno.mkdirSync(dirname(`${folder}/${path}`), { recursive: true });
      Deno.writeFileSync(made, Buffer.from(content, "latin1"), { createNew: true });
      shared?.file(made);
      Deno.renameSync(made, `${folder}/${path}`);
      return;
    } catch (error) {
      removeFile(made);
      // Another git removed the empty directory, or pruned the new file.
      if (left === 0 || !(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
}

/** Removes a file, if it is one. */
export function removeFile(path: string): void {
  attempt(() => Deno.lstatSync(path).isFile && Deno.removeSync(path)); // It is gone already.
}

/** Removes a folder, if it is empty. */
export function removeEmpty(path: string): void {
  attempt(() => Deno.removeSync(path)); // Not there, or something of it is left.
}

/** The files at a path of the real repository: itself, or those right in it. */
export function filesAt(folder: string, path: string): string[] {
  try {
    if (!Deno.lstatSync(`${folder}/${path}`).isDirectory) return [path];
    return [...Deno.readDirSync(`${folder}/${path}`)].filter(({ isFile }) => isFile).map(({ name }) =>
      `${path}/${name}`
    );
  } catch {
    return [];
  }
}
