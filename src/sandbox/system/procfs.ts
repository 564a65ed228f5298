import { attempt } from "../../core/support/attempt.ts";
import { AT_FDCWD, close, cString, O_CLOEXEC, O_DIRECTORY, open, read, systemCall } from "./ffi.ts";

// Reads /proc through libc: Deno refuses /proc as soon as any permission of the program is narrowed, and one process
// costs some twenty microseconds this way.

/** One process as /proc/PID/stat tells it; see proc_pid_stat(5). */
export interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly zombie: boolean;
  readonly threads: number;
  /** Clock ticks between the machine's boot and the process's start. */
  readonly start: number;
  /** Resident memory in pages, pages of files included. */
  readonly residentPages: number;
}

const buffer = new Uint8Array(65_536);
const decoder = new TextDecoder();

/**
 * The text of a file of /proc, or undefined when it is gone or refused. `most`: UTF-16 units after which no more is read; what a
 * command decides about, as the lines for its locks in fdinfo, may be as long as it likes.
 */
export function readProc(path: string, most = Infinity): string | undefined {
  const fd = open(path, O_CLOEXEC);
  if (fd < 0) return undefined;
  let text = "";
  try {
    for (;;) {
      const count = read(fd, buffer);
      // A process that ends between open and read answers ESRCH.
      if (count < 0) return undefined;
      if (count === 0) return text;
      text += decoder.decode(buffer.subarray(0, count));
      if (text.length >= most) return text.slice(0, most);
    }
  } finally {
    close(fd);
  }
}

/** What the kernel knows of a process, or undefined when there is none. */
export function statOf(pid: number): ProcessStat | undefined {
  const text = readProc(`/proc/${pid}/stat`);
  if (!text) return undefined;
  // The name stands in parentheses and may itself hold spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const number = (index: number): number => Number(fields[index] ?? 0);
  return {
    pid,
    parent: number(1),
    group: number(2),
    session: number(3),
    zombie: fields[0] === "Z" || fields[0] === "X",
    threads: number(17),
    start: number(19),
    residentPages: number(21),
  };
}

/** Who a process is: numbers are used again, the time of a start is not. */
export type ProcessIdentity = Pick<ProcessStat, "pid" | "start">;

/** The identity of a process; undefined if there is none, or if it cannot be known in this system or process. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  // If foreign functions are denied, this process starts no others.
  const stat = Deno.build.os === "linux" ? attempt(() => statOf(pid)) : undefined;
  return stat === undefined || stat.zombie ? undefined : { pid, start: stat.start };
}

/** Whether the process is still there. */
export function isAlive({ pid, start }: ProcessIdentity): boolean {
  return identityOf(pid)?.start === start;
}

/** The inode of the namespace in which this process's number counts; "0" if it is unknown. */
export function processNamespace(): string {
  return /\d+/.exec(readProcLink("/proc/self/ns/pid") ?? "")?.[0] ?? "0";
}

/** The numeric names in a folder of /proc (processes, threads, descriptors); empty when it is gone. */
export function numbersIn(folder: string): number[] {
  const found: number[] = [];
  const fd = open(folder, O_CLOEXEC | O_DIRECTORY);
  if (fd < 0) return found;
  try {
    for (;;) {
      const count = systemCall("getdents64", fd, buffer, buffer.length);
      if (count <= 0) return found;
      collectNumbers(count, found);
    }
  } finally {
    close(fd);
  }
}

/** linux_dirent64: inode and offset (16 bytes), record length (2), type (1), name up to NUL. */
function collectNumbers(count: number, found: number[]): void {
  for (let at = 0; at < count;) {
    const length = (buffer[at + 16] ?? 0) | ((buffer[at + 17] ?? 0) << 8);
    let value = 0;
    let i = at + 19;
    for (; buffer[i] !== 0; i++) {
      const digit = (buffer[i] ?? 0) - 48;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
    }
    if (buffer[i] === 0 && i > at + 19) found.push(value);
    at += length;
  }
}

/** Children that a process's thread has; undefined where the kernel keeps no such file (CONFIG_PROC_CHILDREN). */
export function childrenOfThread(pid: number, thread: number): number[] | undefined {
  const text = readProc(`/proc/${pid}/task/${thread}/children`);
  return text?.split(" ").filter((word) => word !== "").map(Number);
}

/** Where a link of /proc leads, through libc for the reason that procfs.ts gives; undefined when there is none. */
export function readProcLink(path: string): string | undefined {
  const target = new Uint8Array(4_096);
  const length = systemCall("readlinkat", AT_FDCWD, cString(path), target, target.length);
  return length <= 0 ? undefined : new TextDecoder().decode(target.subarray(0, length));
}
