import type { Limits } from "../core/policy.ts";
import { formatSize } from "../core/text.ts";
import { fileMemory, sharedMemoryOfMachine } from "./memory_files.ts";
import type { Tree } from "./process_tree.ts";
import { type ProcessStat, readProc } from "./procfs.ts";

const EVERY_MS = 200;

/** Threads use up the machine's process numbers as well; an ordinary program has no more than a few dozen. */
const THREADS_PER_PROCESS = 16;

/** The largest page that a kernel of this architecture may use, bytes: a guess too high costs a closer look, no more. */
const PAGE_BYTES = Deno.build.arch === "aarch64" ? 65_536 : 4_096;

/** Looks after a running tree until it is closed. */
export interface Watchdog {
  close(): void;
}

/** Calls `onLimit` once, with a sentence, when a tree holds more processes or memory than it may. */
export function watch(
  tree: Tree,
  limits: Pick<Limits, "processes" | "memoryBytes">,
  onLimit: (sentence: string) => void,
  everyMs = EVERY_MS,
): Watchdog {
  // The machine's total is one small file: only when it has grown are open files looked at one by one.
  const sharedBefore = sharedMemoryOfMachine();
  const timer = setInterval(() => {
    const sentence = excess(tree.members(), limits, sharedBefore);
    if (sentence === undefined) return;
    clearInterval(timer);
    onLimit(sentence);
  }, everyMs);
  return { close: () => clearInterval(timer) };
}

function excess(
  members: readonly ProcessStat[],
  limits: Pick<Limits, "processes" | "memoryBytes">,
  sharedBefore: number,
): string | undefined {
  if (members.length > limits.processes) {
    return `the command had ${members.length} processes, more than the ${limits.processes} it may have at once`;
  }
  const threads = members.reduce((sum, process) => sum + process.threads, 0);
  if (threads > limits.processes * THREADS_PER_PROCESS) {
    return `the command had ${threads} threads, more than the ${
      limits.processes * THREADS_PER_PROCESS
    } it may have at once`;
  }
  const resident = members.reduce((sum, process) => sum + process.residentPages, 0) * PAGE_BYTES;
  const sharedGrowth = Math.max(0, sharedMemoryOfMachine() - sharedBefore);
  if (resident + sharedGrowth <= limits.memoryBytes) return undefined;
  // Resident pages count what processes share once for each of them, so a closer look decides.
  const used = memoryOf(members, sharedGrowth > limits.memoryBytes / 8);
  if (used <= limits.memoryBytes) return undefined;
  return `the command used ${formatSize(used)} of memory, more than the ${formatSize(limits.memoryBytes)} it may use`;
}

/** Bytes of private memory and of shared memory, mapped or only held open. */
function memoryOf(members: readonly ProcessStat[], withFiles: boolean): number {
  let anonymous = 0;
  let shared = 0;
  for (const process of members) {
    const status = readProc(`/proc/${process.pid}/status`) ?? "";
    anonymous += kibibytes(status, "RssAnon");
    // Mapped by several, it is there once; whose the largest mapping is, is not known.
    shared = Math.max(shared, kibibytes(status, "RssShmem"));
  }
  return anonymous + Math.max(shared, withFiles ? fileMemory(members.map((process) => process.pid)) : 0);
}

function kibibytes(status: string, field: string): number {
  const at = status.indexOf(`\n${field}:`);
  return at < 0 ? 0 : 1024 * Number.parseInt(status.slice(at + field.length + 2), 10);
}
