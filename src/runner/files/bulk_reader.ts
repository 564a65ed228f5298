// Reads whole folders for the worker that holds the tools, in the thread that started it. Deno looks at every part of a
// path before each file, which costs twice what opening and reading it does, and it knows no names but those in UTF-8.
import { join } from "@std/path";
import { attempt } from "../../core/support/attempt.ts";
import type { Policy } from "../../core/policy.ts";
import { encodeLossless } from "../../../tools/text/lossless_text.ts";
import { BULK_COUNT_BYTES, BULK_FILE_BYTES, type BulkReader, type BulkRequest } from "./bulk_link.ts";
import { fileScope } from "./scope.ts";

const SYMBOLS = {
  openat: { parameters: ["i32", "buffer", "i32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
  read: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  getdents64: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  statx: { parameters: ["i32", "buffer", "i32", "u32", "buffer"], result: "i32" },
  memmem: { parameters: ["buffer", "usize", "buffer", "usize"], result: "usize" },
} as const;

// Numbers: asm-generic/fcntl.h, linux/stat.h; those that differ on aarch64 beside each other.
const ARM = Deno.build.arch === "aarch64";
const O_DIRECTORY = ARM ? 0o40000 : 0o200000;
const O_NOFOLLOW = ARM ? 0o100000 : 0o400000;
const [O_NONBLOCK, O_CLOEXEC, O_PATH] = [0o4000, 0o2000000, 0o10000000];
const AT_EMPTY_PATH = 0x1000;
const [STATX_TYPE, STATX_SIZE] = [0x1, 0x200];
const [S_IFMT, S_IFREG] = [0o170000, 0o100000];

const SCRATCH_BYTES = 1024 * 1024;
const EMPTY = new Uint8Array(1);

/**
 * Opens the reader for a policy; undefined where libc is another.
 *
 * It judges each folder and file by the policy itself, whatever the worker looked at before. It goes to a folder part by
 * part and follows no link, so that the place which was judged is the place that is read, however often somebody swaps
 * folders for links meanwhile. The kernel decides besides.
 */
export function openBulkReader(policy: Policy): BulkReader | undefined {
  const libc = attempt(() => Deno.dlopen("libc.so.6", SYMBOLS).symbols);
  if (libc === undefined) return undefined;
  const { openat, close, read, getdents64, statx, memmem } = libc;
  const scope = fileScope(policy);
  let scratch = new Uint8Array(SCRATCH_BYTES);
  const status = new Uint8Array(256);
  const view = new DataView(status.buffer);

  const enter = (folder: string): number => {
    let at = openat(-1, cString("/"), O_PATH | O_DIRECTORY | O_CLOEXEC);
    const parts = folder.split("/").filter((part) => part !== "");
    for (const [i, part] of parts.entries()) {
      const flags = (i === parts.length - 1 ? O_NONBLOCK : O_PATH) | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
      const next = part === "." || part === ".." ? -1 : openat(at, cString(part), flags);
      close(at);
      at = next;
      if (at < 0) return -1;
    }
    return at;
  };

  const list = (fd: number, room: Uint8Array): number => {
    let used = 0;
    for (;;) {
      const count = Number(getdents64(fd, scratch, BigInt(Math.min(scratch.length, room.length - used))));
      if (count < 0) return -1;
      if (count === 0) return used;
      room.set(scratch.subarray(0, count), used);
      used += count;
    }
  };

  /** What is handed over of files; ends before the first that may have no room. */
  const readAll = (
    fd: number,
    names: readonly string[],
    { mostBytes, needle }: BulkRequest,
    room: Uint8Array,
  ): number => {
    // The worker is not believed: an array of one number is one to `<`, and a length to `new Uint8Array`.
    if (!Number.isSafeInteger(mostBytes) || mostBytes < 0 || mostBytes > room.length) return -1;
    const numbers = new DataView(room.buffer, room.byteOffset);
    if (scratch.length < mostBytes) scratch = new Uint8Array(mostBytes);
    const sought = needle ? encoder.encode(needle) : undefined;
    let used = BULK_COUNT_BYTES;
    let count = 0;
    for (; count < names.length && room.length - used >= BULK_FILE_BYTES + mostBytes; count++) {
      const length = readFile(fd, names[count] ?? "", mostBytes);
      if (length < 0 || sought && length < mostBytes && !mayHold(length, sought)) continue;
      numbers.setUint32(used, count, true);
      numbers.setUint32(used + 4, length, true);
      room.set(scratch.subarray(0, length), used + BULK_FILE_BYTES);
      used += BULK_FILE_BYTES + length;
    }
    numbers.setUint32(0, count, true);
    return used;
  };

  /** Whether the file in `scratch` holds what is sought, or is UTF-16, which it is not sought in. */
  const mayHold = (length: number, sought: Uint8Array<ArrayBuffer>): boolean => {
    const [first, second] = scratch;
    const isWide = length > 1 && (first === 0xff && second === 0xfe || first === 0xfe && second === 0xff);
    return isWide || memmem(scratch, BigInt(length), sought, BigInt(sought.length)) !== 0n;
  };

  /** Reads a file into `scratch`; how many bytes those are, -1 for what is no file or may not be read. */
  const readFile = (folder: number, name: string, mostBytes: number): number => {
    const fd = openat(folder, cString(name), O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return -1;
    try {
      if (statx(fd, EMPTY, AT_EMPTY_PATH, STATX_TYPE | STATX_SIZE, status) !== 0) return -1;
      if ((view.getUint16(28, true) & S_IFMT) !== S_IFREG) return -1;
      const wanted = Math.min(Number(view.getBigUint64(40, true)), mostBytes);
      let done = 0;
      while (done < wanted) {
        const got = Number(read(fd, done === 0 ? scratch : scratch.subarray(done), BigInt(wanted - done)));
        if (got < 0) return -1;
        // It shrank meanwhile.
        if (got === 0) break;
        done += got;
      }
      return done;
    } finally {
      close(fd);
    }
  };

  return (request, room) => {
    let fd = -1;
    try {
      const { folder } = request;
      const names = request.names?.split("/");
      scope.check("read", folder);
      if (names && !scope.readsAll(folder)) { for (const name of names) scope.check("read", join(folder, name)); }
      if (names?.some((name) => name === "" || name === "." || name === "..")) return -1;
      fd = enter(folder);
      if (fd < 0) return -1;
      return names === undefined ? list(fd, room) : readAll(fd, names, request, room);
    } catch {
      // Denied, or a name that no path can hold.
      return -1;
    } finally {
      if (fd >= 0) close(fd);
    }
  };
}

const encoder = new TextEncoder();
/** Of one name: three bytes for each of at most 255 units, or what a longer one needs. */
let nameBytes = new Uint8Array(1024);

/** A name as the kernel takes it; good until the next one. */
function cString(name: string): Uint8Array<ArrayBuffer> {
  if (name.includes("\0")) throw new Error("a name holds a NUL character");
  if (name.length * 3 >= nameBytes.length) nameBytes = new Uint8Array(name.length * 3 + 1);
  if (name.isWellFormed()) nameBytes[encoder.encodeInto(name, nameBytes).written] = 0;
  else {
    const bytes = encodeLossless(name);
    nameBytes.set(bytes);
    nameBytes[bytes.length] = 0;
  }
  return nameBytes;
}
