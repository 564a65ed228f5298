// System calls through libc's one function for all of them: each function that Deno binds costs up to half a millisecond,
// which every confined process would pay at its start. They act on the calling thread.

/** Numbers: asm/unistd_64.h (x86_64) and asm-generic/unistd.h (aarch64). */
export const CALLS = {
  bind: { x86_64: 49, aarch64: 200 },
  clock_gettime: { x86_64: 228, aarch64: 113 },
  close: { x86_64: 3, aarch64: 57 },
  connect: { x86_64: 42, aarch64: 203 },
  epoll_create1: { x86_64: 291, aarch64: 20 },
  epoll_ctl: { x86_64: 233, aarch64: 21 },
  epoll_pwait: { x86_64: 281, aarch64: 22 },
  eventfd2: { x86_64: 290, aarch64: 19 },
  execve: { x86_64: 59, aarch64: 221 },
  fchmod: { x86_64: 91, aarch64: 52 },
  fchmodat: { x86_64: 268, aarch64: 53 },
  fcntl: { x86_64: 72, aarch64: 25 },
  getdents64: { x86_64: 217, aarch64: 61 },
  getsid: { x86_64: 124, aarch64: 156 },
  getsockname: { x86_64: 51, aarch64: 204 },
  getsockopt: { x86_64: 55, aarch64: 209 },
  ioctl: { x86_64: 16, aarch64: 29 },
  lgetxattr: { x86_64: 192, aarch64: 9 },
  landlock_create_ruleset: { x86_64: 444, aarch64: 444 },
  listen: { x86_64: 50, aarch64: 201 },
  memfd_create: { x86_64: 319, aarch64: 279 },
  mkdirat: { x86_64: 258, aarch64: 34 },
  mknodat: { x86_64: 259, aarch64: 33 },
  newfstatat: { x86_64: 262, aarch64: 79 },
  openat: { x86_64: 257, aarch64: 56 },
  openat2: { x86_64: 437, aarch64: 437 },
  pidfd_getfd: { x86_64: 438, aarch64: 438 },
  pidfd_open: { x86_64: 434, aarch64: 434 },
  pidfd_send_signal: { x86_64: 424, aarch64: 424 },
  prctl: { x86_64: 157, aarch64: 167 },
  pread64: { x86_64: 17, aarch64: 67 },
  prlimit64: { x86_64: 302, aarch64: 261 },
  read: { x86_64: 0, aarch64: 63 },
  readlinkat: { x86_64: 267, aarch64: 78 },
  recvmsg: { x86_64: 47, aarch64: 212 },
  renameat: { x86_64: 264, aarch64: 38 },
  sched_setscheduler: { x86_64: 144, aarch64: 119 },
  seccomp: { x86_64: 317, aarch64: 277 },
  sendfile: { x86_64: 40, aarch64: 71 },
  setsockopt: { x86_64: 54, aarch64: 208 },
  socket: { x86_64: 41, aarch64: 198 },
  socketpair: { x86_64: 53, aarch64: 199 },
  statfs: { x86_64: 137, aarch64: 43 },
  statx: { x86_64: 332, aarch64: 291 },
  symlinkat: { x86_64: 266, aarch64: 36 },
  unlinkat: { x86_64: 263, aarch64: 35 },
  utimensat: { x86_64: 280, aarch64: 88 },
  wait4: { x86_64: 61, aarch64: 260 },
  waitid: { x86_64: 247, aarch64: 95 },
  write: { x86_64: 1, aarch64: 64 },
} as const;

/** Stands for the folder that relative paths start at. */
export const AT_FDCWD = -100;

/** Flags of open(2): asm-generic/fcntl.h, and where aarch64 has its own arch/arm64/include/uapi/asm/fcntl.h. */
export const [O_NONBLOCK, O_CLOEXEC, O_PATH] = [0o4000, 0o2000000, 0o10000000];
export const [O_DIRECTORY, O_NOFOLLOW] = Deno.build.arch === "aarch64" ? [0o40000, 0o100000] : [0o200000, 0o400000];

/** An argument of a system call; a buffer stands for its address. */
export type Word = number | bigint | Bytes;

type Bytes = Uint8Array<ArrayBuffer> | BigUint64Array<ArrayBuffer>;

const SYMBOLS = {
  syscall: { parameters: ["i64", "i64", "i64", "i64", "i64", "i64"], result: "i64" },
  __errno_location: { parameters: [], result: "pointer" },
} as const;

type Libc = Deno.DynamicLibrary<typeof SYMBOLS>["symbols"];

let opened: Libc | undefined;

/** Opens glibc, or musl where there is no glibc; throws where foreign functions are refused. */
export function libc(): Libc {
  return opened ??= openLibc(SYMBOLS).symbols;
}

function openLibc<S extends Deno.ForeignLibraryInterface>(symbols: S): Deno.DynamicLibrary<S> {
  try {
    return Deno.dlopen("libc.so.6", symbols);
  } catch (error) {
    if (!(error instanceof Error) || error.name === "NotCapable") throw error;
    return Deno.dlopen(`libc.musl-${Deno.build.arch}.so.1`, symbols);
  }
}

/** What the last call was given: a buffer must not be collected before the kernel has used it. */
const held: { last: readonly Word[] } = { last: [] };

/** Makes a system call: its result, or -1 and an `errno`. Arguments that are left out are 0. */
export function systemCall(
  name: keyof typeof CALLS,
  a: Word = 0,
  b: Word = 0,
  c: Word = 0,
  d: Word = 0,
  e: Word = 0,
): number {
  held.last = [a, b, c, d, e];
  const number = BigInt(CALLS[name][Deno.build.arch]);
  return Number(libc().syscall(number, word(a), word(b), word(c), word(d), word(e)));
}

const SHORT = {
  syscall: { parameters: ["i64", "i32", "i64", "i64", "i64", "i64"], result: "i32" },
} as const;

type ShortCall = Deno.DynamicLibrary<typeof SHORT>["symbols"]["syscall"];

let openedShort: ShortCall | undefined;

/**
 * System calls that are made for each file of a tree: the first argument is a descriptor, the result a number, and for neither
 * an object is made. Bound with the first tree that is opened.
 */
export function shortCall(): ShortCall {
  return openedShort ??= openLibc(SHORT).symbols.syscall;
}

const ASIDE = {
  syscall: { parameters: ["i64", "i64", "i64", "i64", "i64", "i64"], result: "i64", nonblocking: true },
} as const;

/** What calls that have not come back were given. */
const heldAside = new Set<readonly Word[]>();

let openedAside: Deno.DynamicLibrary<typeof ASIDE>["symbols"] | undefined;

/**
 * Makes a system call that may wait, on a thread of its own: its result, or a negative number; there is no `errno` of it
 * here. Each that waits holds a thread, so whoever calls it knows how many can.
 */
export async function systemCallAside(
  name: keyof typeof CALLS,
  a: Word = 0,
  b: Word = 0,
  c: Word = 0,
  d: Word = 0,
  e: Word = 0,
): Promise<number> {
  openedAside ??= openLibc(ASIDE).symbols;
  const words = [a, b, c, d, e];
  heldAside.add(words);
  try {
    const number = BigInt(CALLS[name][Deno.build.arch]);
    return Number(await openedAside.syscall(number, word(a), word(b), word(c), word(d), word(e)));
  } finally {
    heldAside.delete(words);
  }
}

function word(value: Word): bigint {
  return typeof value === "object" ? addressOf(value) : BigInt(value);
}

/** A descriptor of what is at a path, or -1 and an `errno`; open(2). */
export function open(path: string, flags: number): number {
  return systemCall("openat", AT_FDCWD, cString(path), flags);
}

/** Closes a descriptor. */
export function close(fd: number): void {
  systemCall("close", fd);
}

/** Reads into a buffer: how many bytes, 0 at the end, or -1 and an `errno`. */
export function read(fd: number, buffer: Bytes): number {
  return systemCall("read", fd, buffer, buffer.byteLength);
}

/** The calling thread's errno. Only meaningful right after a call that failed. */
export function errno(): number {
  const place = libc().__errno_location();
  return place === null ? 0 : new Deno.UnsafePointerView(place).getInt32();
}

const NAMES: Readonly<Record<number, string>> = {
  1: "EPERM",
  2: "ENOENT",
  7: "E2BIG",
  8: "ENOEXEC",
  9: "EBADF",
  12: "ENOMEM",
  13: "EACCES",
  14: "EFAULT",
  16: "EBUSY",
  17: "EEXIST",
  18: "EXDEV",
  20: "ENOTDIR",
  22: "EINVAL",
  24: "EMFILE",
  26: "ETXTBSY",
  28: "ENOSPC",
  30: "EROFS",
  36: "ENAMETOOLONG",
  38: "ENOSYS",
  39: "ENOTEMPTY",
  40: "ELOOP",
  95: "EOPNOTSUPP",
};

/** `ENOENT` for 2 and so on; the number where the name is not in the table. */
export function errnoName(number: number): string {
  return NAMES[number] ?? `errno ${number}`;
}

/** The result of a call, or an error that names the call and its errno. */
export function succeed<N extends number | bigint>(result: N, call: string): N {
  if (result < 0) throw new Error(`${call}: ${errnoName(errno())}`);
  return result;
}

/** The address of a buffer, for structures that hold one: it must be kept alive until the kernel has used that. */
export function addressOf(buffer: Bytes): bigint {
  return BigInt(Deno.UnsafePointer.value(Deno.UnsafePointer.of(buffer)));
}

const encoder = new TextEncoder();

/** A NUL-terminated copy; throws when the text holds a NUL, which would cut it. */
export function cString(text: string): Uint8Array<ArrayBuffer> {
  if (text.includes("\0")) throw new Error("a path, argument or variable holds a NUL character");
  return encoder.encode(text + "\0");
}
