// What is in a process namespace can be counted by one look at its own /proc, and ended by one signal to its first
// process, however many there are: a walk through the tree takes longer the less of the processors is left for it.
import { childrenOfThread, numbersIn, readProcLink } from "../system/procfs.ts";
import { open, systemCallAside } from "../system/ffi.ts";
import { statusOf } from "../system/statx.ts";

/** The first process of the process namespace that a wrapper has made; empty where there is none. */
export function initsBelow(wrapper: number): readonly number[] {
  const children = childrenOfThread(wrapper, wrapper) ?? [];
  // A wrapper waits for that one and has no other.
  if (children.length !== 1) return [];
  const own = readProcLink("/proc/self/ns/pid");
  const other = readProcLink(`/proc/${children[0]}/ns/pid`);
  return own === undefined || other === undefined || own === other ? [] : children;
}

/**
 * How many processes live in the namespace that a wrapper has made; 0 where there is none or it cannot be seen, and until its
 * first process has mounted a /proc of its own: before, it sees the host's, with all of the machine in it.
 */
export function innerProcesses(wrapper: number): number {
  return initsBelow(wrapper).reduce((sum, init) => {
    const proc = `/proc/${init}/root/proc`;
    const isOwn = statusOf(proc)?.identity !== statusOf("/proc")?.identity;
    return isOwn ? sum + numbersIn(proc).length : sum;
  }, 0);
}

const O_CLOEXEC = 0o2000000;

/**
 * Holds the mounts of the namespaces that a wrapper has made; undefined where there are none. The kernel takes mounts down in
 * the end of the last process that has them, and waits there for all processors, several times: whoever waits for that process
 * waits with it. Held, they are taken down in the call that lets go of them, which another thread makes.
 */
export function holdMounts(wrapper: number): (() => Promise<unknown>) | undefined {
  const [init] = initsBelow(wrapper);
  const fd = init === undefined ? -1 : open(`/proc/${init}/ns/mnt`, O_CLOEXEC);
  return fd < 0 ? undefined : () => systemCallAside("close", fd);
}
