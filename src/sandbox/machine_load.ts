import { readProc } from "./procfs.ts";

/** Processes and threads of the whole machine (proc_loadavg(5)); undefined where that cannot be known. */
export function tasksOfMachine(): number | undefined {
  const count = /^(?:[\d.]+ ){3}\d+\/(\d+) /.exec(readProc("/proc/loadavg") ?? "")?.[1];
  return count === undefined ? undefined : Number(count);
}
