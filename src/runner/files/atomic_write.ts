import { dirname, join } from "@std/path";
import * as fs from "node:fs";
import { temporaryName } from "../../core/support/replace_file.ts";
import { attempt } from "../../core/support/attempt.ts";
import { proveSame } from "./opened_file.ts";

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = fs.constants;

/**
 * Puts `bytes` at a real path in one step: a reader sees the old content or the new, never a part.
 *
 * The temporary file beside it has an unpredictable name and must not exist (`O_EXCL`), gets mode and, where the system
 * allows, owner of `like`, reaches the disk (fsync) and then takes the name over. It is removed on any failure. Access
 * lists and extended attributes of the old file are not carried over. `owner`: see `temporaryName`; if the process is killed, the
 * next start removes the temporary file.
 */
export function atomicWrite(
  real: string,
  bytes: Uint8Array<ArrayBuffer>,
  like: fs.Stats | undefined,
  owner: string,
): void {
  const temporary = join(dirname(real), temporaryName(owner));
  const mode = like === undefined ? undefined : like.mode & 0o777;
  const fd = fs.openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode ?? 0o666);
  try {
    try {
      const made = fs.fstatSync(fd);
      // Nothing is written before it is certain that the folder was not swapped for a link.
      proveSame(temporary, made);
      for (let done = 0; done < bytes.length;) done += fs.writeSync(fd, bytes, done, bytes.length - done);
      if (like !== undefined && (like.uid !== made.uid || like.gid !== made.gid)) {
        // Only root may give a file away; the content is what was asked for.
        attempt(() => fs.fchownSync(fd, like.uid, like.gid));
      }
      // Set through the descriptor: a path could have become a link to somebody else's file.
      if (mode !== undefined && (made.mode & 0o777) !== mode) fs.fchmodSync(fd, mode);
      fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
    Deno.renameSync(temporary, real);
  } catch (error) {
    removeSurely(temporary);
    throw error;
  }
}

/** Tried again while it is not there: in a folder that is being swapped it is there at one moment and not at the next. */
function removeSurely(temporary: string): void {
  for (let attempt = 0; attempt < 200; attempt++) {
    try {
      return Deno.removeSync(temporary);
    } catch {
      // The failure that led here is the one to tell.
    }
  }
}

/**
 * Replaces the content of an open file in its place, for a file that was granted without its folder: nothing can be
 * made beside it there, so that it cannot be replaced in one step.
 *
 * What needs room on the disk is written first, behind the old content: where that fails the file is as it was.
 *
 * @param size The file's size before, bytes.
 */
export function overwrite(fd: number, bytes: Uint8Array<ArrayBuffer>, size: number): void {
  try {
    writeAt(fd, bytes, size, bytes.length);
  } catch (error) {
    fs.ftruncateSync(fd, size);
    throw error;
  }
  writeAt(fd, bytes, 0, Math.min(size, bytes.length));
  if (bytes.length < size) fs.ftruncateSync(fd, bytes.length);
  fs.fsyncSync(fd);
}

function writeAt(fd: number, bytes: Uint8Array<ArrayBuffer>, from: number, to: number): void {
  for (let at = from; at < to;) at += fs.writeSync(fd, bytes, at, to - at, at);
}
