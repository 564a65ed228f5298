// Ending a flood of processes takes a processor, and a flood leaves none: thousands of sessions, each with its own claim to a
// share. A real-time thread does not queue with them. Only root may be one (CAP_SYS_NICE); what ordinary users start is
// bounded by the kernel instead (RLIMIT_NPROC), which does not count for root.
import { errno, systemCall } from "../system/ffi.ts";
import { numbersIn } from "../system/procfs.ts";

// sched_setscheduler(2), linux/sched.h
const ORDINARY = 0;
const ROUND_ROBIN = 2;
/** What is started meanwhile is ordinary: no command inherits it. */
const RESET_ON_FORK = 0x4000_0000;
const LOWEST_PRIORITY = 1;
const ESRCH = 3;

let holders = 0;

/**
 * Lets every thread of this process run before all ordinary ones, where the system allows it, until the returned
 * function is called: while a flood is looked at or ended, never while a command runs. Every thread, because the main
 * thread blocks on V8's garbage collector threads.
 */
export function runInRealTime(): () => void {
  if (holders++ === 0) scheduleAll(ROUND_ROBIN | RESET_ON_FORK, LOWEST_PRIORITY);
  let isHeld = true;
  return () => {
    // Whoever may raise itself without being root (RLIMIT_RTPRIO) may not take the flag away again, which does no harm.
    if (isHeld && --holders === 0 && !scheduleAll(ORDINARY, 0)) scheduleAll(ORDINARY | RESET_ON_FORK, 0);
    isHeld = false;
  };
}

/** Lets a process that was killed end before all ordinary ones go on, where the system lets it. */
export function endInRealTime(pid: number): void {
  schedule(pid, ROUND_ROBIN | RESET_ON_FORK, LOWEST_PRIORITY);
}

/** Whether all threads are scheduled so; one that ended meanwhile does not count. */
function scheduleAll(policy: number, priority: number): boolean {
  if (Deno.build.os !== "linux") return true;
  return numbersIn("/proc/self/task").map((thread) => schedule(thread, policy, priority)).every((isDone) => isDone);
}

function schedule(thread: number, policy: number, priority: number): boolean {
  const priorityField = new Uint8Array(new Int32Array([priority]).buffer);
  return systemCall("sched_setscheduler", thread, policy, priorityField) === 0 || errno() === ESRCH;
}
