// What is in a process namespace can be counted by one look at its own /proc, and ended by one signal to its first
// process, however many there are: a walk through the tree takes longer the less of the processors is left for it.
import { childrenOfThread, numbersIn, readProcLink } from "../system/procfs.ts";

/** The first process of the process namespace that a wrapper has made; empty where there is none. */
export function initsBelow(wrapper: number): readonly number[] {
  const children = childrenOfThread(wrapper, wrapper) ?? [];
  // A wrapper waits for that one and has no other.
  if (children.length !== 1) return [];
  const own = readProcLink("/proc/self/ns/pid");
  const other = readProcLink(`/proc/${children[0]}/ns/pid`);
  return own === undefined || other === undefined || own === other ? [] : children;
}

/** How many processes live in the namespace that a wrapper has made; 0 where there is none or it cannot be seen. */
export function innerProcesses(wrapper: number): number {
  return initsBelow(wrapper).filter(seesItself).reduce(
    (sum, init) => sum + numbersIn(`/proc/${init}/root/proc`).length,
    0,
  );
}

/** Before it has mounted a /proc of its own it sees the machine's: those processes are none of its own. */
function seesItself(init: number): boolean {
  const own = readProcLink(`/proc/${init}/ns/pid`);
  return own !== undefined && readProcLink(`/proc/${init}/root/proc/1/ns/pid`) === own;
}
