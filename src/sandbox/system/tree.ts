// Files below one folder by descriptors: each path is resolved by the kernel below the open folder and through no link
// (openat2(2)), so that whoever swaps a folder for a link meanwhile leads this process nowhere. One file above the usual length:
// each function opens the same way.
import {
  emptyRecords,
  type FolderScan,
  KIND,
  modeIn,
  RECORD,
  type Records,
  statusIn,
  type Tree,
  type TreeStatus,
} from "../../core/support/tree.ts";
import { temporaryName } from "../../core/support/replace_file.ts";
import { ownerPrefix } from "./temporary_folder.ts";
import { bytesOfPath, cPath, stringOf } from "./byte_path.ts";
import {
  addressOf,
  AT_FDCWD,
  CALLS,
  close,
  errno,
  errnoName,
  O_CLOEXEC,
  O_DIRECTORY,
  O_NOFOLLOW,
  O_NONBLOCK,
  O_PATH,
  read,
  shortCall,
  systemCall,
} from "./ffi.ts";

const O_WRONLY = 1;
const O_CREAT_EXCL = 0o300;
/** Below the folder alone, no links, none of procfs either: include/uapi/linux/openat2.h. */
const RESOLVE = 0x08n | 0x04n | 0x02n;
const AT_SYMLINK_NOFOLLOW = 0x100;
const AT_EMPTY_PATH = 0x1000;
const AT_REMOVEDIR = 0x200;
const STATX_BASIC_STATS = 0x7ff;
const EINTR = 4;
const EINVAL = 22;
const ENOSYS = 38;

/** What system calls read and write, one behind the other: to ask for an address takes as long as a call. */
const LISTING = 64 * 1024;
const LONGEST_PATH = 4096;
const STATUS_AT = LISTING + LONGEST_PATH;
const HOW_AT = STATUS_AT + 256;
const EMPTY_AT = HOW_AT + 24;
const shared = new Uint8Array(EMPTY_AT + 8);
/** A word more than the listing has: the last name is read in words, too. Signed: V8 holds no larger numbers without a box. */
const listing = new Int32Array(shared.buffer, 0, LISTING / 4 + 1);
const pathBytes = new Uint8Array(shared.buffer, LISTING, LONGEST_PATH);
const status = new Uint8Array(shared.buffer, STATUS_AT, 256);
const words = new Uint32Array(shared.buffer, STATUS_AT, 64);
const signedWords = new Int32Array(shared.buffer, STATUS_AT, 64);
const how = new BigUint64Array(shared.buffer, HOW_AT, 3);
const how32 = new Uint32Array(shared.buffer, HOW_AT, 6);

interface Addresses {
  readonly listing: bigint;
  readonly path: bigint;
  readonly status: bigint;
  readonly how: bigint;
  /** The path "". */
  readonly empty: bigint;
}
let known: Addresses | undefined;

function addresses(): Addresses {
  if (known !== undefined) return known;
  const listing = addressOf(shared);
  const at = (offset: number): bigint => listing + BigInt(offset);
  return known = { listing, path: at(LISTING), status: at(STATUS_AT), how: at(HOW_AT), empty: at(EMPTY_AT) };
}

/** Where names of a listing begin, by the words of eight bytes before them: most folders have theirs at the same places. */
const nameAddresses: bigint[] = [];

const OPENAT2 = BigInt(CALLS.openat2[Deno.build.arch]);
const GETDENTS64 = BigInt(CALLS.getdents64[Deno.build.arch]);
const ROOM = BigInt(LISTING);
const STATX = BigInt(CALLS.statx[Deno.build.arch]);
const CLOSE = BigInt(CALLS.close[Deno.build.arch]);
const READ = BigInt(CALLS.read[Deno.build.arch]);

/** For the bytes of a file that `readSame` gives; a larger file gets its own memory. */
const content = new Uint8Array(256 * 1024);
let contentAddress: bigint | undefined;

/** How a tree opens and makes files, for what works on two trees. */
const openers = new WeakMap<Tree, {
  readonly openAt: (path: string, flags: number) => number;
  readonly createAt: (path: string) => number;
}>();

/** Opens the tree below a folder; undefined where there is no such folder or it may not be listed. */
export function openFolderTree(root: string): Tree | undefined {
  const top = systemCall("openat", AT_FDCWD, cPath(bytesOfPath(root)), O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (top < 0) return undefined;

  const openAt = (path: string, flags: number): number => {
    how32[0] = flags | O_CLOEXEC;
    how[2] = RESOLVE;
    if (path.length >= LONGEST_PATH) return systemCall("openat2", top, cPath(path), how, 24);
    if (path === "") pathBytes[0] = 0x2e;
    for (let at = 0; at < path.length; at++) pathBytes[at] = path.charCodeAt(at);
    pathBytes[path.length || 1] = 0;
    const at = addresses();
    return shortCall()(OPENAT2, top, at.path, at.how, 24n, 0n);
  };
  const createAt = (path: string): number => {
    how[1] = 0o600n;
    const fd = openAt(path, O_WRONLY | O_CREAT_EXCL | O_NOFOLLOW);
    how[1] = 0n;
    return fd;
  };
  const within = <T>(path: string, flags: number, work: (fd: number) => T): T => {
    const fd = openAt(path, flags);
    if (fd < 0) throw failed("opened");
    try {
      return work(fd);
    } finally {
      close(fd);
    }
  };
  /** Calls `work` with the folder around a path and the name in it. */
  const inFolder = <T>(path: string, work: (fd: number, name: Uint8Array<ArrayBuffer>) => T): T => {
    const cut = path.lastIndexOf("/");
    const name = path.slice(cut + 1);
    if (name === "" || name === "." || name === "..") throw new Error("it is no name in a folder");
    return within(path.slice(0, Math.max(0, cut)), O_PATH | O_DIRECTORY, (fd) => work(fd, cPath(name)));
  };
  /** Makes something under a free name and gives it its own. */
  const put = (
    path: string,
    temporary: string | undefined,
    make: (fd: number, name: Uint8Array<ArrayBuffer>) => void,
  ): void =>
    inFolder(path, (fd, name) => {
      const free = cPath(temporary ?? temporaryName(ownerPrefix()));
      try {
        make(fd, free);
        if (systemCall("renameat", fd, free, fd, name) < 0) throw failed("put in its place");
      } catch (error) {
        systemCall("unlinkat", fd, free);
        throw error;
      }
    });

  const tree: Tree = {
    root,
    scan(folder) {
      const fd = openAt(folder, O_DIRECTORY | O_NONBLOCK);
      return fd < 0 ? undefined : scanOf(fd);
    },
    status(path) {
      const fd = openAt(path, O_PATH | O_NOFOLLOW);
      if (fd < 0) return undefined;
      try {
        return statusOfOpen(fd);
      } finally {
        close(fd);
      }
    },
    read(path, maxBytes) {
      // A pipe opens at once and is seen to be one.
      const fd = openAt(path, O_NONBLOCK | O_NOFOLLOW);
      if (fd < 0) return undefined;
      try {
        const before = statusOfOpen(fd);
        if (before === undefined || before.mode >> 12 !== KIND.file || before.size > maxBytes) return undefined;
        const bytes = new Uint8Array(before.size);
        for (let total = 0; total < bytes.length;) {
          const count = read(fd, bytes.subarray(total));
          if (count < 0 && errno() === EINTR) continue;
          if (count <= 0) return undefined;
          total += count;
        }
        return statusOfOpen(fd)?.stamp === before.stamp ? { bytes, status: before } : undefined;
      } finally {
        close(fd);
      }
    },
    readSame(path, record, at) {
      const word = at >> 2;
      const field = (name: number): number => record.words[word + name] ?? 0;
      const size = field(RECORD.size) + field(RECORD.size + 1) * 2 ** 32;
      const call = shortCall();
      const fd = openAt(path, O_NONBLOCK | O_NOFOLLOW);
      if (fd < 0) return undefined;
      try {
        let bytes = content.subarray(0, size);
        let total = 0;
        if (size <= content.length) {
          contentAddress ??= addressOf(content);
          total = size === 0 ? 0 : call(READ, fd, contentAddress, BigInt(size), 0n, 0n);
        } else bytes = new Uint8Array(size);
        while (total < size) {
          const count = read(fd, bytes.subarray(Math.max(0, total)));
          if (count < 0 && errno() === EINTR) continue;
          if (count <= 0) return undefined;
          total = Math.max(0, total) + count;
        }
        if (call(STATX, fd, addresses().empty, BigInt(AT_EMPTY_PATH), WANTED, addresses().status) !== 0) {
          return undefined;
        }
        fillRecord(one.words, 0);
        for (let name: number = RECORD.inode; name < RECORD.note; name++) {
          if (one.words[name] !== field(name)) return undefined;
        }
        return ((signedWords[7] as number) & 0xffff) === modeIn(record.bytes, at) ? bytes : undefined;
      } finally {
        call(CLOSE, fd, 0n, 0n, 0n, 0n);
      }
    },
    readLink(path) {
      try {
        return inFolder(path, (fd, name) => {
          const target = new Uint8Array(4096);
          const length = systemCall("readlinkat", fd, name, target, target.length);
          return length < 0 ? undefined : stringOf(target, 0, length);
        });
      } catch {
        return undefined;
      }
    },
    makeFolder: (path, mode) =>
      inFolder(path, (fd, name) => {
        if (systemCall("mkdirat", fd, name, mode) < 0) throw failed("made");
      }),
    putFile: (path, bytes, mode, temporary) =>
      put(path, temporary, (folder, name) => {
        const fd = systemCall("openat", folder, name, O_WRONLY | O_CREAT_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600);
        if (fd < 0) throw failed("made");
        try {
          for (let total = 0; total < bytes.length;) {
            const count = systemCall("write", fd, bytes.subarray(total), bytes.length - total);
            if (count < 0 && errno() === EINTR) continue;
            if (count <= 0) throw failed("written");
            total += count;
          }
          if (systemCall("fchmod", fd, mode) < 0) throw failed("given its mode");
        } finally {
          close(fd);
        }
      }),
    putLink: (path, target, temporary) =>
      put(path, temporary, (folder, name) => {
        if (systemCall("symlinkat", cPath(target), folder, name) < 0) throw failed("made");
      }),
    remove: (path, isFolder) =>
      inFolder(path, (fd, name) => {
        if (systemCall("unlinkat", fd, name, isFolder ? AT_REMOVEDIR : 0) < 0) throw failed("removed");
      }),
    setMode: (path, mode) => setMode(path, mode),
    close: () => close(top),
  };
  openers.set(tree, { openAt, createAt });
  return tree;

  function setMode(path: string, mode: number): void {
    // A file without the right to read opens for nobody but as a path, and fchmod(2) takes no such descriptor.
    within(path, O_PATH | O_NOFOLLOW, (fd) => {
      if ((statusOfOpen(fd)?.mode ?? 0) >> 12 === KIND.link) throw new Error("a link stands there");
      const place = new TextEncoder().encode(`/proc/self/fd/${fd}\0`);
      if (systemCall("fchmodat", AT_FDCWD, place, mode) < 0) throw failed("given its mode");
    });
  }
}

const FICLONE = 0x40049409; // linux/fs.h
/** What one call moves at the most; sendfile(2). */
const PIECE = 0x4000_0000;
const timesOfFile = new BigInt64Array(4);

/**
 * Copies a regular file from one tree to the same path of another, where nothing stands yet: bytes, permission bits (no
 * set-user-ID), time of the last change. The bytes are shared by the file system where it can (`cloned`). `unreadable`: nothing
 * was made, the file may not be opened or is none. Throws an `Error` for what cannot be written.
 */
export function copyFile(from: Tree, to: Tree, path: string, mayClone: boolean): "cloned" | "copied" | "unreadable" {
  const source = openers.get(from)?.openAt(path, O_NONBLOCK | O_NOFOLLOW) ?? -1;
  if (source < 0) return "unreadable";
  try {
    const status = statusOfOpen(source);
    if (status === undefined || status.mode >> 12 !== KIND.file) return "unreadable";
    const times = modifiedOfLast();
    const target = openers.get(to)?.createAt(path) ?? -1;
    if (target < 0) throw failed("made");
    try {
      const isCloned = mayClone && systemCall("ioctl", target, FICLONE, source) === 0;
      if (!isCloned) copyBytes(source, target);
      if (systemCall("fchmod", target, status.mode & 0o777) < 0) throw failed("given its mode");
      timesOfFile.set([times[0], times[1], times[0], times[1]]);
      systemCall("utimensat", target, 0, new Uint8Array(timesOfFile.buffer), 0);
      return isCloned ? "cloned" : "copied";
    } finally {
      close(target);
    }
  } finally {
    close(source);
  }
}

function copyBytes(source: number, target: number): void {
  for (let isFirst = true;; isFirst = false) {
    const count = systemCall("sendfile", target, source, 0, PIECE);
    if (count === 0) return;
    if (count > 0 || errno() === EINTR) continue;
    // Some file systems have no such call.
    if (!isFirst || (errno() !== EINVAL && errno() !== ENOSYS)) throw failed("written");
    return copySlowly(source, target);
  }
}

function copySlowly(source: number, target: number): void {
  const piece = new Uint8Array(1 << 18);
  for (;;) {
    const count = read(source, piece);
    if (count === 0) return;
    if (count < 0 && errno() === EINTR) continue;
    if (count < 0) throw failed("read");
    for (let done = 0; done < count;) {
      const written = systemCall("write", target, piece.subarray(done, count), count - done);
      if (written < 0 && errno() === EINTR) continue;
      if (written <= 0) throw failed("written");
      done += written;
    }
  }
}

/** Seconds and nanoseconds of the last change, of what was looked at last. */
function modifiedOfLast(): readonly [bigint, bigint] {
  return [BigInt(words[28] ?? 0) | BigInt(words[29] ?? 0) << 32n, BigInt(words[30] ?? 0)];
}

const FLAGS = BigInt(AT_SYMLINK_NOFOLLOW);
const WANTED = BigInt(STATX_BASIC_STATS);

function scanOf(fd: number): FolderScan {
  return {
    next: (into) => addListing(fd, into),
    close: () => void shortCall()(CLOSE, fd, 0n, 0n, 0n, 0n),
  };
}

/**
 * Adds what getdents64(2) gives at once, each with what statx(2) says of it; false at the end of the folder. All work of an
 * entry is in one loop over words: a first look runs before V8 has compiled much, and compiles soon what takes all of its time.
 */
function addListing(folder: number, into: Records): boolean {
  const call = shortCall();
  const { listing: base, status: statusAt } = addresses();
  const length = call(GETDENTS64, folder, base, ROOM, 0n, 0n);
  if (length < 0) throw new Error(`a folder cannot be read: errno ${errno()}`);
  // A record has at most 23 bytes more than its entry, which has at least 24.
  makeRoom(into, 2 * length);
  const to = into.words;
  let word = into.length >> 2;
  // struct linux_dirent64: inode, offset, length (2 bytes), kind (1), name from byte 19 on, NUL.
  for (let at = 0, size = 0; at < length; at += size) {
    let from = (at >> 2) + 4;
    let high = listing[from++] as number; // Within the listing, here and below.
    let low = listing[from++] as number;
    size = high & 0xffff;
    // "." and ".."
    if (high >>> 24 === 0x2e && ((low & 0xff) === 0 || (low & 0xffff) === 0x2e)) continue;
    const name = nameAddresses[at >> 3] ??= base + BigInt(at + 19);
    if (call(STATX, folder, name, FLAGS, WANTED, statusAt) !== 0) continue;
    const start = word;
    fillRecord(to, word);
    word += RECORD.name >> 2;
    // Four bytes of the name at a time, until one of them is NUL: the lowest bit that is left marks the first of those.
    for (;;) {
      const part = high >>> 24 | low << 8;
      const ends = ((part - 0x01010101) & ~part & 0x80808080) >>> 7;
      if (ends !== 0) {
        const last = part & ((ends & -ends) - 1);
        if (last !== 0) to[word++] = last;
        break;
      }
      to[word++] = part;
      high = low;
      low = listing[from++] as number;
    }
    to[start] = (word - start) << 2 | ((signedWords[7] as number) & 0xffff) << 16;
  }
  into.length = word << 2;
  return length > 0;
}

function makeRoom(into: Records, bytes: number): void {
  if (into.length + bytes <= into.bytes.length) return;
  const larger = emptyRecords(Math.max(into.bytes.length * 2, into.length + bytes));
  larger.bytes.set(into.bytes.subarray(0, into.length));
  [into.bytes, into.words] = [larger.bytes, larger.words];
}

/** Puts what statx(2) said into a record, but for its length and mode. struct statx; both architectures are little-endian. */
function fillRecord(to: Uint32Array, word: number): void {
  to[word + RECORD.inode] = signedWords[8] as number;
  to[word + RECORD.inode + 1] = signedWords[9] as number;
  to[word + RECORD.size] = signedWords[10] as number;
  to[word + RECORD.size + 1] = signedWords[11] as number;
  to[word + RECORD.modified] = signedWords[28] as number;
  to[word + RECORD.modifiedNs] = signedWords[30] as number;
  to[word + RECORD.changed] = signedWords[24] as number;
  to[word + RECORD.changedNs] = signedWords[26] as number;
  to[word + RECORD.note] = 0;
}

const one = emptyRecords(RECORD.name);

function statusOfOpen(fd: number): TreeStatus | undefined {
  if (systemCall("statx", fd, EMPTY, AT_EMPTY_PATH, STATX_BASIC_STATS, status) !== 0) return undefined;
  fillRecord(one.words, 0);
  one.words[0] = RECORD.name | ((signedWords[7] as number) & 0xffff) << 16;
  return statusIn(one, 0);
}

const EMPTY = new Uint8Array(1);

function failed(what: string): Error {
  return new Error(`it could not be ${what}: ${errnoName(errno())}`);
}
