// Two looks at whole trees of processes: one that tells everything, and one that takes a tenth of its time.
import { childrenOfThread, numbersIn, type ProcessStat, statOf } from "./procfs.ts";

/**
 * The processes of whole trees, each before its children.
 *
 * `onMeet` is called for each that lives before its children are looked up: what it stops has no further ones.
 */
export function below(roots: Iterable<ProcessStat>, onMeet?: (process: ProcessStat) => void): ProcessStat[] {
  let table: Map<number, number[]> | undefined;
  const found: ProcessStat[] = [];
  const known = new Set<number>();
  const children: number[] = [];
  const meet = (process: ProcessStat): void => {
    found.push(process);
    if (process.zombie) return;
    onMeet?.(process);
    const { pid } = process;
    const threads = process.threads > 1 ? numbersIn(`/proc/${pid}/task`) : [pid];
    for (const thread of threads) {
      for (const child of childrenOfThread(pid, thread) ?? (table ??= childTable()).get(pid) ?? []) {
        if (known.has(child)) continue;
        known.add(child);
        children.push(child);
      }
    }
  };
  for (const root of roots) {
    known.add(root.pid);
    meet(root);
  }
  // A list visits what is added while it is walked.
  for (const pid of children) {
    const process = statOf(pid);
    if (process) meet(process);
  }
  return found;
}

/**
 * How many processes whole trees have, the dead included, counted no further than to one more than `most`; without what
 * threads other than the first of a process have started.
 *
 * `onMeet` is called for each before its children are looked up.
 */
export function countBelow(roots: Iterable<number>, most: number, onMeet?: (pid: number) => void): number {
  const known = new Set<number>();
  const meet = (pid: number): void => {
    if (known.has(pid)) return;
    known.add(pid);
    onMeet?.(pid);
  };
  for (const root of roots) meet(root);
  // A set visits what is added while it is walked.
  for (const pid of known) {
    if (known.size > most) return most + 1;
    for (const child of childrenOfThread(pid, pid) ?? []) meet(child);
  }
  return known.size;
}

/** Children of every process, by a look at all of the machine's: where the kernel keeps no lists of them. */
export function childTable(): Map<number, number[]> {
  const table = new Map<number, number[]>();
  for (const pid of numbersIn("/proc")) {
    const parent = statOf(pid)?.parent;
    if (parent === undefined) continue;
    const children = table.get(parent);
    if (children) children.push(pid);
    else table.set(parent, [pid]);
  }
  return table;
}
