// The few libc functions with which a process confines itself. All of them act on the calling thread; the process that
// calls them becomes another program right after, so that no other thread remains.

const SYMBOLS = {
  syscall: { parameters: ["i64", "i64", "i64", "i64", "i64", "i64"], result: "i64" },
  prctl: { parameters: ["i32", "u64", "u64", "u64", "u64"], result: "i32" },
  getrlimit: { parameters: ["i32", "buffer"], result: "i32" },
  setrlimit: { parameters: ["i32", "buffer"], result: "i32" },
  signal: { parameters: ["i32", "usize"], result: "usize" },
  sigemptyset: { parameters: ["buffer"], result: "i32" },
  sigprocmask: { parameters: ["i32", "buffer", "pointer"], result: "i32" },
  dup2: { parameters: ["i32", "i32"], result: "i32" },
  fcntl: { parameters: ["i32", "i32", "i32"], result: "i32" },
  open: { parameters: ["buffer", "i32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
  chdir: { parameters: ["buffer"], result: "i32" },
  read: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  write: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  execve: { parameters: ["buffer", "buffer", "buffer"], result: "i32" },
  getppid: { parameters: [], result: "i32" },
  _exit: { parameters: ["i32"], result: "void" },
  __errno_location: { parameters: [], result: "pointer" },
} as const;

/** The functions, typed by their declarations. */
export type Libc = Deno.DynamicLibrary<typeof SYMBOLS>["symbols"];

let opened: Libc | undefined;

/** glibc, or musl where there is no glibc; throws where foreign functions are refused. */
export function libc(): Libc {
  if (opened) return opened;
  try {
    opened = Deno.dlopen("libc.so.6", SYMBOLS).symbols;
  } catch (error) {
    if (!(error instanceof Error) || error.name === "NotCapable") throw error;
    opened = Deno.dlopen(`libc.musl-${Deno.build.arch}.so.1`, SYMBOLS).symbols;
  }
  return opened;
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
  20: "ENOTDIR",
  22: "EINVAL",
  24: "EMFILE",
  26: "ETXTBSY",
  36: "ENAMETOOLONG",
  38: "ENOSYS",
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

/** The address of a buffer. The buffer must be kept alive until the call that uses the address has returned. */
export function addressOf(buffer: Uint8Array<ArrayBuffer> | BigUint64Array<ArrayBuffer>): bigint {
  return BigInt(Deno.UnsafePointer.value(Deno.UnsafePointer.of(buffer)));
}

const encoder = new TextEncoder();

/** A NUL-terminated copy; throws when the text holds a NUL, which would cut it. */
export function cString(text: string): Uint8Array<ArrayBuffer> {
  if (text.includes("\0")) throw new Error("a path, argument or variable holds a NUL character");
  return encoder.encode(text + "\0");
}
