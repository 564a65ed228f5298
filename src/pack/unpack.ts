import { dirname, join } from "@std/path";
import type { PackedFile } from "../core/pack.ts";
import { sha256 as digestOf } from "../core/support/digest.ts";
import { isFolder } from "../core/support/on_disk.ts";
import { PACK_FOLDERS } from "./archive.ts";

/** How directories that are not complete yet are named and removed. */
export interface UnpackHost {
  /** Prefix of names that identifies this process. */
  readonly owner: string;
  /** Removes directories of processes that have ended. */
  readonly tidy: (parent: string) => void;
}

/**
 * Lays the files of an archive into `folder`, read-only, and leaves one alone that holds exactly them. Throws where it
 * cannot be made. The folders stay writable: whoever clears a cache should be able to.
 *
 * Whoever starts at the same time sees all of it or nothing; a copy that somebody changed is replaced.
 */
export function unpack(
  files: readonly PackedFile[],
  contents: ReadonlyMap<string, Uint8Array<ArrayBuffer>>,
  folder: string,
  { owner, tidy }: UnpackHost,
): void {
  const parent = dirname(folder);
  Deno.mkdirSync(parent, { recursive: true, mode: 0o700 });
  if (!isOwn(Deno.statSync(parent))) throw new Error(`${parent} is another user's, who could change what is in it`);
  if (isSame(files, folder)) return;
  tidy(parent);
  const work = Deno.makeTempDirSync({ dir: parent, prefix: owner });
  try {
    for (const { path, isProgram } of files) {
      Deno.mkdirSync(join(work, dirname(path)), { recursive: true });
      Deno.writeFileSync(join(work, path), contents.get(path) ?? new Uint8Array(), { mode: isProgram ? 0o555 : 0o444 });
    }
    for (const path of foldersOf(files)) Deno.mkdirSync(join(work, path), { recursive: true });
    replace(files, work, folder);
  } catch (error) {
    if (isFolder(work)) Deno.removeSync(work, { recursive: true });
    throw error;
  }
  if (!isSame(files, folder)) throw new Error(`what was unpacked to ${folder} is changed at once by somebody else`);
}

/** A folder cannot be renamed over one that holds something. */
function replace(files: readonly PackedFile[], work: string, folder: string): void {
  Deno.chmodSync(work, 0o755);
  try {
    Deno.renameSync(work, folder);
  } catch {
    if (isSame(files, folder)) return Deno.removeSync(work, { recursive: true }); // somebody else was faster
    Deno.removeSync(folder, { recursive: true });
    Deno.renameSync(work, folder);
  }
}

/** Whoever owns something can change it at any time, whatever its mode is. */
function isOwn({ uid }: Deno.FileInfo): boolean {
  return Deno.uid() === null || uid === Deno.uid();
}

/** Whether a folder of this user's holds the files, each with its digest, and nothing else. */
function isSame(files: readonly PackedFile[], folder: string): boolean {
  const wanted = new Map(files.map((file) => [file.path, file]));
  const known = new Set(foldersOf(files));
  let count = 0;
  const look = (below: string): boolean => {
    for (const { name, isFile, isDirectory } of Deno.readDirSync(join(folder, below))) {
      const path = below === "" ? name : `${below}/${name}`;
      if (!isOwn(Deno.lstatSync(join(folder, path)))) return false;
      if (isDirectory && known.has(path)) {
        if (!look(path)) return false;
        continue;
      }
      const file = wanted.get(path);
      // A link is neither.
      if (!isFile || file === undefined) return false;
      const bytes = Deno.readFileSync(join(folder, path));
      if (bytes.length !== file.bytes || digestOf(bytes) !== file.sha256) return false;
      count++;
    }
    return true;
  };
  try {
    const top = Deno.lstatSync(folder);
    return !top.isSymlink && isOwn(top) && look("") && count === files.length;
  } catch {
    return false;
  }
}

/** All folders of the archive, the outer ones first; those that the program looks into are there even when empty. */
function foldersOf(files: readonly PackedFile[]): string[] {
  const folders = new Set<string>(PACK_FOLDERS);
  for (const { path } of files) {
    const parts = path.split("/").slice(0, -1);
    parts.forEach((_, at) => folders.add(parts.slice(0, at + 1).join("/")));
  }
  return [...folders].sort();
}
