// How much of files and patches may be in memory at a time. A patch is foreign, and a megabyte of one can say of a gigabyte
// that it is there.

/**
 * All that a patch reads of files may have so many bytes, and all that it makes, too: both are in memory as a whole. A trial
 * writes no patch of more.
 */
export const MOST_BYTES = 256 * 1024 ** 2;

/** Each line is an object of its own: those of a patch, and those of a file that hunks change. */
export const MOST_LINES = 4_000_000;

/** How many newlines there are. */
export function countLines(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) count++;
  return count;
}
