// Looking after a flood of processes takes a processor, and a flood leaves none: thousands of sessions, each with its own
// claim to a share. A real-time thread does not queue with them. Only root may be one (CAP_SYS_NICE); what ordinary users
// start is bounded by the kernel instead (RLIMIT_NPROC), which does not count for root.
import { systemCall } from "./ffi.ts";
import { numbersIn } from "./procfs.ts";

// sched_setscheduler(2), linux/sched.h
const ORDINARY = 0;
const ROUND_ROBIN = 2;
/** What is started meanwhile is ordinary: no command inherits it. */
const RESET_ON_FORK = 0x4000_0000;
const LOWEST_PRIORITY = 1;

let holders = 0;

/**
 * Lets this process run before all ordinary ones, where the system lets it, until the answer is called.
 *
 * All of its threads: the first waits for the garbage collector's, which would wait for their turn otherwise.
 */
export function beUrgent(): () => void {
  if (holders++ === 0) scheduleAll(ROUND_ROBIN | RESET_ON_FORK, LOWEST_PRIORITY);
  let isHeld = true;
  return () => {
    if (isHeld && --holders === 0) scheduleAll(ORDINARY, 0);
    isHeld = false;
  };
}

/** Lets a process that was killed end before all ordinary ones go on, where the system lets it. */
export function endUrgently(pid: number): void {
  schedule(pid, ROUND_ROBIN | RESET_ON_FORK, LOWEST_PRIORITY);
}

function scheduleAll(policy: number, priority: number): void {
  if (Deno.build.os !== "linux") return;
  for (const thread of numbersIn("/proc/self/task")) schedule(thread, policy, priority);
}

function schedule(thread: number, policy: number, priority: number): void {
  systemCall("sched_setscheduler", thread, policy, new Uint8Array(new Int32Array([priority]).buffer));
}
