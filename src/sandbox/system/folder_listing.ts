// getdents64(2) through libc: names as bytes, for a command may give names that are no text; and a quarter of the time that
// the runtime takes, for whole trees are listed.
import { addressOf, close, errno, libc } from "./ffi.ts";

const AT_FDCWD = -100n;
const OPEN: Readonly<Record<string, readonly [call: bigint, getdents: bigint, flags: bigint]>> = {
  // O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
  x86_64: [257n, 217n, 0o200000n | 0o400000n | 0o2000000n | 0o4000n],
  aarch64: [56n, 61n, 0o40000n | 0o100000n | 0o2000000n | 0o4000n],
};

/** Kinds of entries as the kernel tells them: d_type. */
export const ENTRY = { unknown: 0, folder: 4, file: 8, link: 10, socket: 12 } as const;

const buffer = new Uint8Array(64 * 1024);
const view = new DataView(buffer.buffer);
let address: bigint | undefined;

/**
 * Calls `visit` for each entry of a folder but `.` and `..`: where its name stands in `bytes`, and what it is. The path ends
 * with a NUL and is given by its address. Gives how many entries there were, or -1 where the folder cannot be listed.
 */
export function listFolder(
  path: bigint,
  visit: (bytes: Uint8Array, start: number, end: number, kind: number) => void,
): number {
  const calls = OPEN[Deno.build.arch];
  if (calls === undefined) throw new Error(`folders cannot be listed on ${Deno.build.arch}`);
  const { syscall } = libc();
  const fd = Number(syscall(calls[0], AT_FDCWD, path, calls[2], 0n, 0n));
  if (fd < 0) return -1;
  try {
    let count = 0;
    const from = address ??= addressOf(buffer);
    for (;;) {
      const length = Number(syscall(calls[1], BigInt(fd), from, BigInt(buffer.length), 0n, 0n));
      if (length < 0) throw new Error(`a folder cannot be read: errno ${errno()}`);
      if (length === 0) return count;
      // struct linux_dirent64: inode, offset, length of the record (2), kind (1), name.
      for (let at = 0; at < length; at += view.getUint16(at + 16, true)) {
        const start = at + 19;
        let end = start;
        while (buffer[end] !== 0) end++;
        if (buffer[start] === 0x2e && (end === start + 1 || (end === start + 2 && buffer[start + 1] === 0x2e))) {
          continue;
        }
        count++;
        visit(buffer, start, end, buffer[at + 18] ?? 0);
      }
    }
  } finally {
    close(fd);
  }
}
