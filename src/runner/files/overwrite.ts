import * as fs from "node:fs";

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
