import { addressOf, cString, errno, errnoName, libc } from "./ffi.ts";

const F_DUPFD_CLOEXEC = 1030;
const CLOSE_RANGE = 436n;
const CLOSE_RANGE_CLOEXEC = 4n;
const RT_SIGACTION: Readonly<Record<string, bigint>> = { x86_64: 13n, aarch64: 134n };
const LIBC_OWN = [32n, 33n];
const SIGKILL = 9;
const SIGSTOP = 19;

/** Default actions for all signals and none blocked: what Deno set up for itself must not reach the program. */
export function resetSignals(): void {
  const c = libc();
  for (let number = 1; number <= 64; number++) if (number !== SIGKILL && number !== SIGSTOP) c.signal(number, 0n);
  // libc keeps two for itself and will not touch them, but somebody further up may have had them ignored.
  const call = RT_SIGACTION[Deno.build.arch];
  const standard = new BigUint64Array(4); // the kernel's struct sigaction, all default (rt_sigaction(2))
  for (const number of call === undefined ? [] : LIBC_OWN) {
    c.syscall(call ?? 0n, number, addressOf(standard), 0n, 8n, 0n);
  }
  const SIG_SETMASK = 2;
  const none = new Uint8Array(128);
  c.sigemptyset(none);
  c.sigprocmask(SIG_SETMASK, none, null);
}

/** Descriptors 0–2 of the program; the rest ends with execve. Returns a copy of standard error that ends with it too. */
export function arrangeStreams(options: { readonly nullInput: boolean; readonly mergeOutput: boolean }): number {
  const c = libc();
  const report = c.fcntl(2, F_DUPFD_CLOEXEC, 3);
  if (report < 0) throw new Error(`dup of standard error: ${errnoName(errno())}`);
  if (options.nullInput) {
    const O_RDONLY_CLOEXEC = 0o2000000;
    const fd = c.open(cString("/dev/null"), O_RDONLY_CLOEXEC);
    if (fd < 0 || c.dup2(fd, 0) < 0) throw new Error(`/dev/null: ${errnoName(errno())}`);
  }
  if (options.mergeOutput && c.dup2(1, 2) < 0) throw new Error(`dup2: ${errnoName(errno())}`);
  return report;
}

/** The file of a program's name, looked up in `path` where the name has no slash, as execvp(3) does. */
export function lookUp(name: string, path: string): string {
  if (name.includes("/")) return name;
  for (const folder of path.split(":")) {
    if (!folder.startsWith("/")) continue;
    const file = `${folder}/${name}`;
    try {
      const info = Deno.statSync(file);
      if (info.isFile && ((info.mode ?? 0) & 0o111) !== 0) return file;
    } catch {
      // Not in this folder.
    }
  }
  throw new Error(`there is no program "${name}" in PATH`);
}

/** Arguments and environment as execve(2) takes them. */
export interface ProgramImage {
  readonly args: StringVector;
  readonly variables: StringVector;
}

interface StringVector {
  readonly pointers: Uint8Array<ArrayBuffer>;
  /** What the pointers point to: kept alive with them. */
  readonly strings: readonly Uint8Array<ArrayBuffer>[];
}

/** Lays out what a program is given; throws for what holds a NUL. */
export function imageOf(argv: readonly string[], env: Readonly<Record<string, string>>): ProgramImage {
  return { args: vector(argv), variables: vector(Object.entries(env).map(([name, value]) => `${name}=${value}`)) };
}

/** Becomes another program; returns only by throwing. */
export function become(file: string, { args, variables }: ProgramImage): never {
  const c = libc();
  const path = cString(file);
  // Older kernels lack the call; Deno opens everything with CLOEXEC, so it only adds to that.
  c.syscall(CLOSE_RANGE, 3n, 0xffffffffn, CLOSE_RANGE_CLOEXEC, 0n, 0n);
  c.execve(path, args.pointers, variables.pointers);
  const number = errno();
  // Naming the strings here keeps them alive until the call has read them.
  throw new Error(`execve ${file}: ${errnoName(number)} (${args.strings.length + variables.strings.length} strings)`);
}

function vector(texts: readonly string[]): StringVector {
  const strings = texts.map(cString);
  const pointers = new BigUint64Array(strings.length + 1);
  strings.forEach((text, at) => pointers[at] = addressOf(text));
  return { pointers: new Uint8Array(pointers.buffer), strings };
}
