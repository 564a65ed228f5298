import { basename, dirname, join } from "@std/path";
import { entryAt } from "../../core/support/on_disk.ts";
import { covers, type Policy } from "../../core/policy.ts";
import { bytesOfPath, cPath, pathOfBytes } from "../system/byte_path.ts";
import { AT_FDCWD, errno, systemCall } from "../system/ffi.ts";
import { statusOf } from "../system/statx.ts";
import { withOpenFolders } from "./watched_modes.ts";

/** Largest file that is copied where it cannot be moved, bytes. */
const COPY_BYTES = 8 * 1024 * 1024;

/** The quarantine: where files go that a command put where it may not. */
export interface Quarantine {
  /**
   * Moves what stands at a path out of the way and tells where it is now; undefined where it could only be removed. Nothing may
   * run that could change the path or the folders around it meanwhile.
   */
  take(path: string): string | undefined;
  /**
   * The same for a folder whose content nobody has looked at, its path as of byte_path.ts: where it cannot be moved away it is
   * closed to everybody beside where it was.
   */
  takeUnseen(bytes: string): { readonly at: string; readonly isBeside: boolean };
  /** A path that is free, in such a folder: what the caller moves there stays. */
  reserve(name: string): string;
  /** Removes the folder where nothing is in it. */
  tidy(): void;
}

/** What was put aside must be out of the reach of commands; where they can write everything a new name is. */
export function asidePlaces(policy: Policy): string[] {
  const places = [...new Set([dirname(policy.cache), dirname(policy.tmp)])];
  const isReached = (path: string): boolean => covers(policy.write, path);
  return [...places.filter((path) => !isReached(path)), ...places.filter(isReached), policy.cache];
}

/** Private folders that stay when the session ends, made when they are first needed in the first of some that allows it. */
export function openQuarantine(folders: readonly string[]): Quarantine {
  let place: { readonly path: string; readonly identity: string } | undefined;
  let count = 0;
  /** A free name; in a new folder where the last one is not as it was, or `isNew` asks for it. */
  const next = (name: string, isNew: boolean): string => {
    const status = place === undefined || isNew ? undefined : statusOf(place.path);
    if (place === undefined || status?.identity !== place.identity || status.mode !== 0o700) place = makePlace(folders);
    return join(place.path, `${++count}-${name}`);
  };
  /** Works with a name, and with one in another folder where that fails. */
  const twice = <T>(name: string, work: (to: string) => T): T => {
    try {
      return work(next(name, false));
    } catch {
      return work(next(name, true));
    }
  };
  return {
    reserve: (name) => next(name, false),
    tidy() {
      try {
        if (place !== undefined) Deno.removeSync(place.path);
        place = undefined;
      } catch {
        // What is in it stays.
      }
    },
    takeUnseen(bytes) {
      const path = pathOfBytes(bytes);
      if (path !== undefined) openFolder(path);
      try {
        const at = twice("unseen", (to) => {
          if (renameBytes(bytes, bytesOfPath(to)) !== 0) throw new Error(`it could not be moved (errno ${errno()})`);
          return to;
        });
        return { at, isBeside: false };
      } catch {
        const beside = `${dirname(bytes)}/undone-${hex()}`;
        if (renameBytes(bytes, beside) !== 0) throw new Error(`it could not be moved (errno ${errno()})`);
        const at = new TextDecoder().decode(cPath(beside).subarray(0, -1));
        Deno.chmodSync(at, 0);
        return { at, isBeside: true };
      }
    },
    take(path) {
      openFolder(path);
      try {
        return twice(basename(path), (to) => {
          try {
            Deno.renameSync(path, to);
          } catch {
            if (!copied(path, to)) throw new Error("it could not be copied");
            Deno.removeSync(path);
          }
          return to;
        });
      } catch {
        return neutralise(path);
      }
    },
  };
}

/** Whatever comes of it, it must not stay under the name by which it is obeyed. */
function neutralise(path: string): string | undefined {
  // A name that no program looks for.
  const beside = `${path}.undone-${hex()}`;
  try {
    Deno.renameSync(path, beside);
    return beside;
  } catch (error) {
    if (!entryAt(path)?.isDirectory) return void Deno.removeSync(path);
    Deno.chmodSync(path, 0);
    throw error;
  }
}

function renameBytes(from: string, to: string): number {
  return systemCall("renameat", AT_FDCWD, cPath(from), AT_FDCWD, cPath(to));
}

/** A folder that its owner may not write in cannot be moved to another one: its entry ".." would change. */
function openFolder(path: string): void {
  const status = statusOf(path);
  if (status?.kind === "folder" && (status.mode & 0o700) !== 0o700 && status.uid === Deno.uid()) {
    Deno.chmodSync(path, status.mode | 0o700);
  }
}

/** A new folder under a name that nobody can know, in the first of some folders that can be written. */
function makePlace(folders: readonly string[]): { readonly path: string; readonly identity: string } {
  let reason: unknown = new Error("there is no folder for it");
  for (const folder of folders) {
    const path = join(folder, `undone-${hex()}`);
    try {
      // A command may close whatever the user owns.
      const status = withOpenFolders(path, "/", () => {
        if (Deno.realPathSync(folder) !== folder) throw new Error("the private folder was replaced");
        Deno.mkdirSync(path, { mode: 0o700 });
        Deno.chmodSync(path, 0o700);
        return statusOf(path);
      });
      if (status?.kind === "folder") return { path, identity: status.identity };
    } catch (error) {
      reason = error;
    }
  }
  throw reason;
}

function copied(path: string, to: string): boolean {
  const info = Deno.lstatSync(path);
  if (info.isSymlink) {
    Deno.symlinkSync(Deno.readLinkSync(path), to);
    return true;
  }
  if (!info.isFile || info.size > COPY_BYTES) return false;
  Deno.writeFileSync(to, Deno.readFileSync(path), { createNew: true, mode: 0o600 });
  return true;
}

function hex(): string {
  return crypto.randomUUID().slice(0, 8);
}
