import { join } from "@std/path";
import * as fs from "node:fs";
import { ToolError } from "../../core/error.ts";
import { attempt } from "../../core/support/attempt.ts";
import type { FolderEntry } from "../../core/tool.ts";
import { shownPath } from "../../../tools/text/shown_path.ts";

const { O_RDONLY, O_WRONLY, O_NONBLOCK, O_NOFOLLOW } = fs.constants;

/**
 * How often is looked where nothing but the looks decides: with one a swapper at full speed won 2 of 100,000 reads, with
 * two or more none. The looks are half of what reading a small file costs.
 */
const LOOKS = 4;

/**
 * Opens the regular file at a real path and proves afterwards that this is what was opened (R462).
 *
 * Between the look-up of a path and its opening another process may swap a folder for a link. So the opened file's
 * device and inode are compared with what the path names now, and the path must still be its own real path. A swap that
 * is undone and redone within these few microseconds stays possible; only a kernel sandbox closes that.
 * `O_NONBLOCK`: a FIFO swapped in must not block the thread, which nothing could end.
 */
export function openRegular(
  real: string,
  access: "read" | "write",
  looks = LOOKS,
): { readonly fd: number; readonly info: fs.Stats } {
  // Deno's own look costs a quarter of what node's does.
  refuseOther(Deno.lstatSync(real), real);
  const fd = fs.openSync(real, (access === "read" ? O_RDONLY : O_WRONLY) | O_NONBLOCK | O_NOFOLLOW);
  try {
    const info = fs.fstatSync(fd);
    if (!info.isFile()) throw replaced(real);
    proveSame(real, info, looks);
    return { fd, info };
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
}

/** What tells one file or folder from another. */
export interface Identity {
  readonly dev: number;
  /** Absent on Windows. */
  readonly ino: number | null;
}

/**
 * Throws unless `real` is its own real path and names the opened file or the folder that `info` tells of.
 *
 * Looked at several times: a swapper has to show the inside to one look and the outside to the next, each time.
 */
export function proveSame(real: string, info: Identity, looks = LOOKS): void {
  for (let look = 0; look < looks; look++) {
    const isItself = Deno.realPathSync(real) === real;
    const now = Deno.lstatSync(real);
    if (isItself && now.dev === info.dev && (now.ino === info.ino || now.ino === null)) continue;
    throw replaced(real);
  }
}

function replaced(real: string): ToolError {
  return new ToolError(`Denied: ${shownPath(real)} was replaced while it was opened. Try again`);
}

function refuseOther(info: Deno.FileInfo, real: string): void {
  if (info.isFile) return;
  if (info.isDirectory) throw new ToolError(`${shownPath(real)} is a folder. Use ls, or name a file in it`);
  // A link here means that the path changed since it was resolved.
  const kind = info.isFifo ? "a FIFO" : info.isSocket ? "a socket" : info.isSymlink ? "a link" : "a device";
  throw new ToolError(`Denied: ${shownPath(real)} is ${kind}; file tools open regular files only`);
}

/** How often a folder is listed again that changed meanwhile. */
const ATTEMPTS = 3;
const FOLDER_LOOKS = 3;

/**
 * The names in the folder at a real path.
 *
 * A listing has no descriptor to compare. So some of the names must be there afterwards, in a folder that still is its
 * own real path: a folder that was swapped for a link while it was listed has other names.
 */
export function listFolder(real: string): FolderEntry[] {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const entries = Array.from(
      Deno.readDirSync(real),
      ({ name, isDirectory, isSymlink }) => ({ name, isDirectory, isSymlink }),
    );
    const sample = [entries[0], entries[entries.length >> 1], entries[entries.length - 1]];
    // Each look can be deceived by a swap there and back in its midst.
    const looks = Array.from({ length: FOLDER_LOOKS }, () => sample).flat();
    if (looks.every((entry) => isStillListed(real, entry)) && Deno.realPathSync(real) === real) return entries;
  }
  throw new ToolError(`Denied: ${shownPath(real)} was replaced while it was listed. Try again`);
}

function isStillListed(real: string, entry: FolderEntry | undefined): boolean {
  if (entry === undefined) return true;
  return attempt(() =>
    Deno.realPathSync(real) === real && Deno.lstatSync(join(real, entry.name)).isSymlink === entry.isSymlink
  ) ?? false;
}
