// What stands at a path may be another thing a moment after it was looked at, while commands run: a pipe that nobody writes
// to would hold up the whole program for ever, a device would never end, a link would lead to a file of somebody else.
import { close, O_CLOEXEC, O_NOFOLLOW, O_NONBLOCK, open, read } from "./ffi.ts";
import { statusOfOpen } from "./statx.ts";

/**
 * The bytes of a regular file; undefined when something else stands there, or a file of more than `maxBytes`.
 *
 * Never waits, and follows no link in the last part of the path. Throws where it cannot be opened or read.
 */
export function readRegular(path: string, maxBytes: number): Uint8Array<ArrayBuffer> | undefined {
  // Without a wait a pipe opens at once, and is seen to be one; opening a device may do something, but none can be made.
  const fd = open(path, O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) throw new Error(`${path} cannot be opened`);
  try {
    const status = statusOfOpen(fd);
    if (status?.kind !== "file" || status.size > maxBytes) return undefined;
    // One more than it has: a file that grew meanwhile is seen to be longer.
    const bytes = new Uint8Array(Math.min(status.size, maxBytes) + 1);
    let total = 0;
    while (total < bytes.length) {
      const count = read(fd, bytes.subarray(total));
      if (count < 0) throw new Error(`${path} cannot be read`);
      if (count === 0) return bytes.slice(0, total);
      total += count;
    }
    return total <= maxBytes ? bytes : undefined;
  } finally {
    close(fd);
  }
}
