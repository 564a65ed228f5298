import { addressOf, cString, errno, errnoName, open, systemCall } from "./ffi.ts";
import { readProc } from "./procfs.ts";

const F_DUPFD_CLOEXEC = 1030;
const CLOSE_RANGE_CLOEXEC = 4;
const LAST_DESCRIPTOR = 0xffff_ffff;
const LAST_SIGNAL = 64;
const SIGNAL_SET_BYTES = 8;

/** Default actions for all signals and none blocked: what Deno set up for itself must not reach the program. */
export function resetSignals(): void {
  const standard = new BigUint64Array(4); // the kernel's struct sigaction, all default (rt_sigaction(2))
  for (const number of ignoredSignals()) systemCall("rt_sigaction", number, standard, 0, SIGNAL_SET_BYTES);
  const SIG_SETMASK = 2;
  systemCall("rt_sigprocmask", SIG_SETMASK, new BigUint64Array(1), 0, SIGNAL_SET_BYTES);
}

/** Those that are not as they were at first: what is handled becomes default by execve(2) itself. */
function ignoredSignals(): readonly number[] {
  const ALL = ~0n;
  const mask = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readProc("/proc/self/status") ?? "")?.[1];
  const ignored = mask === undefined ? ALL : BigInt(`0x${mask}`);
  const numbers = Array.from({ length: LAST_SIGNAL }, (_, index) => index + 1);
  return numbers.filter((number) => ((ignored >> BigInt(number - 1)) & 1n) === 1n);
}

/** Descriptors 0–2 of the program; the rest ends with execve. Returns a copy of standard error that ends with it too. */
export function arrangeStreams(options: { readonly nullInput: boolean; readonly mergeOutput: boolean }): number {
  const report = systemCall("fcntl", 2, F_DUPFD_CLOEXEC, 3);
  if (report < 0) throw new Error(`dup of standard error: ${errnoName(errno())}`);
  if (options.nullInput) {
    const O_RDONLY_CLOEXEC = 0o2000000;
    const fd = open("/dev/null", O_RDONLY_CLOEXEC);
    if (fd < 0 || systemCall("dup3", fd, 0) < 0) throw new Error(`/dev/null: ${errnoName(errno())}`);
  }
  if (options.mergeOutput && systemCall("dup3", 1, 2) < 0) throw new Error(`dup3: ${errnoName(errno())}`);
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
  // Older kernels lack the call; Deno opens everything with CLOEXEC, so it only adds to that.
  systemCall("close_range", 3, LAST_DESCRIPTOR, CLOSE_RANGE_CLOEXEC);
  systemCall("execve", cString(file), args.pointers, variables.pointers);
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
