import type { Limits } from "../../core/policy.ts";

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

/** Bounds of one tool call where nobody set others. */
export const DEFAULT_LIMITS: Limits = {
  bashTimeoutMs: 120_000,
  bashMaxTimeoutMs: 600_000,
  outputBytes: 64 * 1024,
  outputLines: 2000,
  fileBytes: 4 * GIB,
  openFiles: 4096,
  processes: 512,
  memoryBytes: 2 * GIB,
};

/** Threads use up the machine's process numbers as well; an ordinary program has no more than a few dozen. */
export const THREADS_PER_PROCESS = 16;

/** What a tree of as many processes as it may have needs on the average, ... */
const COMMON_THREADS = 2;
/** ... and a build on a machine with many processors, where each of its programs starts a thread for each of them. */
const TASKS_PER_PROCESSOR = 64;
/** Below that hardly a build would start. */
const LEAST_TASKS = 64;

/**
 * Processes and threads together that the kernel lets a tree have (RLIMIT_NPROC): what holds while nobody looks.
 *
 * The kernel refuses only further ones, where the watchdog would end the whole tree.
 */
export function taskLimit({ processes }: Pick<Limits, "processes">, processors: number): number {
  const wanted = Math.max(processes * COMMON_THREADS, processors * TASKS_PER_PROCESSOR);
  return Math.max(LEAST_TASKS, Math.min(processes * THREADS_PER_PROCESS, wanted));
}
