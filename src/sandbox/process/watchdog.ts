import type { Limits } from "../../core/policy.ts";
import { formatSize } from "../../core/support/text.ts";
import { THREADS_PER_PROCESS } from "../policy/limits.ts";
import { type ProcessStat, readProc } from "../system/procfs.ts";
import { innerProcesses } from "./inner_processes.ts";
import { fileMemory, folderMemory, sharedMemoryOfMachine } from "./memory_files.ts";
import { runInRealTime } from "./realtime_priority.ts";
import { openSentinel, type Sentinel } from "./sentinel.ts";
import type { Tree } from "./tree.ts";

/** Between two looks at what runs, where no flood is seen before. */
const EVERY_MS = 200;
/** Between two looks of the sentinel at the machine's totals. */
const GLANCE_MS = 25;
/**
 * Time between the end of the last tree and the end of the sentinel's watch, milliseconds: commands that follow each
 * other closely need no restart of it.
 */
const REST_MS = 100;
/** So many more processes and threads are worth a look at once, ... */
const FLOOD_TASKS = 64;
/** ... and so much of the memory that a tree may have. */
const FLOOD_SHARE = 1 / 16;
/** With more runnable processes than this for each processor, this process may get its turn late. */
const CROWD = 4;

/** The largest page that a kernel of this architecture may use, bytes: a guess too high costs a closer look, no more. */
const PAGE_BYTES = Deno.build.arch === "aarch64" ? 65_536 : 4_096;

type TreeLimits = Pick<Limits, "processes" | "memoryBytes">;

/** Looks after running trees, all of them at each look. */
export interface Watchdog {
  /** Starts what looks for floods, ahead of the first tree. */
  prepare(): void;
  /** To be called before a tree's first process starts: from then on a flood is seen, whenever this process has its turn. */
  expect(): void;
  /** Calls `onLimit` once, with a sentence, when a tree holds more than it may; the answer ends that. */
  watch(tree: Tree, onLimit: (sentence: string) => void): () => void;
  close(): Promise<void>;
}

/** Opens a watchdog; each of its trees may have what `limits` say. */
export function openWatchdog(limits: TreeLimits): Watchdog {
  const flood = {
    everyMs: GLANCE_MS,
    tasks: FLOOD_TASKS,
    bytes: limits.memoryBytes * FLOOD_SHARE,
    crowd: CROWD * navigator.hardwareConcurrency,
    glances: EVERY_MS / GLANCE_MS,
  };
  const watched = new Map<Tree, (sentence: string) => void>();
  let timer: ReturnType<typeof setInterval> | undefined;
  let sentinel: Sentinel | undefined;
  let isWatching = false;
  let resting: ReturnType<typeof setTimeout> | undefined;
  // Where no sentinel can be had, this process itself has to see a flood in time.
  let calm: (() => void) | undefined;

  const look = (): void => {
    for (const [tree, onLimit] of watched) {
      const sentence = excess(tree, limits);
      if (sentence === undefined) continue;
      watched.delete(tree);
      onLimit(sentence);
      settle();
    }
  };
  const prepare = (): void => {
    sentinel ??= openSentinel(flood, {
      onFlood: look,
      onEnd() {
        sentinel = undefined;
        isWatching = false;
        if (watched.size > 0) calm ??= runInRealTime();
      },
    });
  };
  const rest = (): void => {
    resting = undefined;
    if (isWatching) sentinel?.pause();
    isWatching = false;
  };
  const settle = (): void => {
    if (watched.size > 0) return;
    clearInterval(timer);
    timer = undefined;
    resting ??= setTimeout(rest, REST_MS);
    calm?.();
    calm = undefined;
  };
  return {
    prepare,
    expect() {
      clearTimeout(resting);
      resting = undefined;
      prepare();
      if (isWatching) return;
      sentinel?.watch();
      isWatching = sentinel !== undefined;
    },
    watch(tree, onLimit) {
      watched.set(tree, onLimit);
      timer ??= setInterval(look, EVERY_MS);
      if (!sentinel) calm ??= runInRealTime();
      return () => {
        if (watched.delete(tree)) settle();
      };
    },
    async close() {
      watched.clear();
      settle();
      clearTimeout(resting);
      await sentinel?.close();
      sentinel = undefined;
    },
  };
}

/** What a tree has too much of, as a sentence; first what takes little of a processor that many are waiting for. */
function excess(tree: Tree, limits: TreeLimits): string | undefined {
  const many = tooMany(innerProcesses(tree.root) || tree.count(limits.processes), "processes", limits.processes);
  if (many !== undefined) return many;
  const members = tree.members();
  const threads = members.reduce((sum, process) => sum + process.threads, 0);
  return tooMany(members.length, "processes", limits.processes) ??
    tooMany(threads, "threads", limits.processes * THREADS_PER_PROCESS) ??
    tooMuch(members, limits.memoryBytes);
}

function tooMany(count: number, what: string, most: number): string | undefined {
  return count <= most ? undefined : `the command had ${count} ${what}, more than the ${most} it may have at once`;
}

function tooMuch(members: readonly ProcessStat[], most: number): string | undefined {
  const resident = members.reduce((sum, process) => sum + process.residentPages, 0) * PAGE_BYTES;
  // No more than that is there, whoever has it. What others have may shrink while a command's grows, so that a difference to
  // what there was before would tell nothing.
  if (resident + sharedMemoryOfMachine() <= most) return undefined;
  // Resident pages count what processes share once for each of them, so a closer look decides.
  const used = memoryOf(members);
  if (used <= most) return undefined;
  return `the command used ${formatSize(used)} of memory, more than the ${formatSize(most)} it may use`;
}

/** Bytes of private memory and of shared memory, mapped or only held open. */
function memoryOf(members: readonly ProcessStat[]): number {
  let anonymous = 0;
  let shared = 0;
  for (const process of members) {
    const status = readProc(`/proc/${process.pid}/status`) ?? "";
    anonymous += kibibytes(status, "RssAnon");
    // Mapped by several, it is there once; whose the largest mapping is, is not known.
    shared = Math.max(shared, kibibytes(status, "RssShmem"));
  }
  const pids = members.map((process) => process.pid);
  return anonymous + Math.max(shared, fileMemory(pids) + folderMemory(pids));
}

function kibibytes(status: string, field: string): number {
  const at = status.indexOf(`\n${field}:`);
  return at < 0 ? 0 : 1024 * Number.parseInt(status.slice(at + field.length + 2), 10);
}
