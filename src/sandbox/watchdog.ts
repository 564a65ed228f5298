import type { Limits } from "../core/policy.ts";
import { formatSize } from "../core/text.ts";
import { innerProcesses } from "./inner_processes.ts";
import { tasksOfMachine } from "./machine_load.ts";
import { fileMemory, folderMemory, sharedMemoryOfMachine } from "./memory_files.ts";
import type { Tree } from "./process_tree.ts";
import { type ProcessStat, readProc } from "./procfs.ts";
import { THREADS_PER_PROCESS } from "./task_limit.ts";
import { beUrgent } from "./urgency.ts";

const EVERY_MS = 200;
/** Between two glances at how many processes the machine has. */
const GLANCE_MS = 25;
/** So many more since a glance are worth a look. */
const FLOOD_TASKS = 64;

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
  // The machine's totals are one small file each: only when they have grown is more looked at.
  const sharedBefore = sharedMemoryOfMachine();
  const tasksBefore = tasksOfMachine() ?? 0;
  let fewest = tasksBefore;
  let lookedAt = performance.now();
  // From the start: a look that is to find out that it is urgent would wait for its turn among the flood itself.
  const calm = beUrgent();
  const timer = setInterval(() => {
    const tasks = tasksOfMachine() ?? fewest;
    const grows = tasks - fewest >= FLOOD_TASKS;
    const isDue = performance.now() - lookedAt >= everyMs;
    fewest = grows ? tasks : Math.min(fewest, tasks);
    if (!grows && !isDue) return;
    // First what takes little of a processor that many are waiting for.
    const mayBeMany = grows || tasks - tasksBefore > limits.processes;
    const sentence = (mayBeMany ? tooMany(quickCount(tree, limits.processes), limits) : undefined) ??
      (isDue ? excess(tree.members(), limits, sharedBefore) : undefined);
    if (isDue) lookedAt = performance.now();
    if (sentence === undefined) return;
    clearInterval(timer);
    onLimit(sentence);
  }, Math.min(GLANCE_MS, everyMs));
  return {
    close() {
      clearInterval(timer);
      calm();
    },
  };
}

function quickCount(tree: Tree, most: number): number {
  return innerProcesses(tree.root) || tree.count(most);
}

function tooMany(count: number, limits: Pick<Limits, "processes">): string | undefined {
  if (count <= limits.processes) return undefined;
  return `the command had ${count} processes, more than the ${limits.processes} it may have at once`;
}

function excess(
  members: readonly ProcessStat[],
  limits: Pick<Limits, "processes" | "memoryBytes">,
  sharedBefore: number,
): string | undefined {
  const many = tooMany(members.length, limits);
  if (many !== undefined) return many;
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
  const pids = members.map((process) => process.pid);
  return anonymous + Math.max(shared, withFiles ? fileMemory(pids) + folderMemory(pids) : 0);
}

function kibibytes(status: string, field: string): number {
  const at = status.indexOf(`\n${field}:`);
  return at < 0 ? 0 : 1024 * Number.parseInt(status.slice(at + field.length + 2), 10);
}
