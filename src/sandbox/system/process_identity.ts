import { readProc, readProcLink } from "./procfs.ts";

/** Who a process is: numbers are used again, the time of a start is not. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks between the machine's boot and the process's start; field 22 of proc_pid_stat(5). */
  readonly start: number;
}

/** The identity of a process; undefined when there is none, or when it cannot be known in this system or process. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  if (Deno.build.os !== "linux") return undefined;
  let text: string | undefined;
  try {
    text = readProc(`/proc/${pid}/stat`);
  } catch {
    // Foreign functions are refused: this process starts no others.
  }
  if (!text) return undefined;
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  if (fields[0] === "Z" || fields[0] === "X") return undefined;
  return { pid, start: Number(fields[19]) };
}

/** Whether the process is still there. */
export function isAlive({ pid, start }: ProcessIdentity): boolean {
  return identityOf(pid)?.start === start;
}

/** The inode of the namespace in which this process's number counts; "0" if it is unknown. */
export function processNamespace(): string {
  return /\d+/.exec(readProcLink("/proc/self/ns/pid") ?? "")?.[0] ?? "0";
}
