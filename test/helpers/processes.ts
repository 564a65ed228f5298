import { numbersIn, readProc, statOf } from "../../src/sandbox/system/procfs.ts";

/** A process of this machine. */
export interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  /** Its command line, words joined by spaces; empty for one that has ended. */
  readonly args: string;
}

/** All processes that this user can see. */
export function runningProcesses(): readonly RunningProcess[] {
  return numbersIn("/proc").flatMap((pid) => {
    const stat = statOf(pid);
    const line = readProc(`/proc/${pid}/cmdline`);
    if (stat === undefined || line === undefined) return [];
    return [{ pid, parent: stat.parent, args: line.replace(/\0$/, "").replaceAll("\0", " ") }];
  });
}
