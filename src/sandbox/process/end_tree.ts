import { numbersIn, readProc, statOf } from "../system/procfs.ts";
import { initsBelow, innerProcesses } from "./inner_processes.ts";
import { endInRealTime, runInRealTime } from "./realtime_priority.ts";
import { canWalk, type Tree } from "./tree.ts";

/** Between asking a tree to end and ending it. */
const GRACE_MS = 2_000;
/** A process that SIGKILL does not end in this time sits in the kernel; nobody can end it sooner. */
const KILL_MS = 3_000;
/** The longest that a flood of processes is fought. */
const FLOOD_MS = 60_000;
const POLL_MS = 10;
/** Between two looks at what is dying. */
const LONGEST_PAUSE_MS = 32;
const FREEZE_MS = 500;
/** From this number of processes on, they are ended in real time: they may fork while they are ended. */
const MANY = 64;
/** Never notified: waiting on it pauses this thread without running other tasks. */
const PAUSE = new Int32Array(new SharedArrayBuffer(4));

/**
 * Asks a tree to end with SIGTERM, waits up to two seconds, then kills what is left.
 *
 * `wrapped`: the root is a wrapper whose death would take the rest along without a chance to tidy up.
 */
export async function endTree(tree: Tree, wrapped: boolean): Promise<void> {
  const living = livingOf(tree);
  if (!wrapped) send(-tree.root, "SIGTERM");
  for (const process of living) {
    if (wrapped ? process.pid !== tree.root : process.group !== tree.root) send(process.pid, "SIGTERM");
  }
  const deadline = performance.now() + GRACE_MS;
  while (performance.now() < deadline) {
    if (canWalk() ? livingOf(tree).length === 0 : !send(-tree.root, "SIGCONT")) break;
    await pause(POLL_MS);
  }
  await killTree(tree);
}

/**
 * Kills whatever belongs to a tree: stops all of it first, so that nothing forks while it is killed, and looks again until
 * nothing is left. Resolves to the number of processes that could not be ended.
 */
export async function killTree(tree: Tree): Promise<number> {
  if (!canWalk()) {
    send(-tree.root, "SIGKILL");
    return 0;
  }
  let calm: (() => void) | undefined;
  const hurry = (): void => void (calm ??= runInRealTime());
  try {
    const inits = initsBelow(tree.root);
    if (inits.length > 0) {
      const areMany = innerProcesses(tree.root) > MANY;
      if (areMany) hurry();
      await endNamespaces(inits, areMany);
    }
    return await killEach(tree, hurry);
  } finally {
    calm?.();
  }
}

/** One signal ends all that is in a process namespace, and nothing can be started in it any more. */
async function endNamespaces(inits: readonly number[], areMany: boolean): Promise<void> {
  for (const init of inits) {
    send(init, "SIGKILL");
    if (areMany) endInRealTime(init);
  }
  // It ends after all others. To walk through them meanwhile would take from them what they need to end.
  const deadline = performance.now() + KILL_MS;
  for (let waitMs = 1; performance.now() < deadline; waitMs = Math.min(2 * waitMs, LONGEST_PAUSE_MS)) {
    if (inits.every((init) => statOf(init)?.zombie !== false)) return;
    await pause(waitMs);
  }
}

/** `hurry` is called when there is much to end. */
async function killEach(tree: Tree, hurry: () => void): Promise<number> {
  // The more of a flood stand still, the more of the processors is left for a closer look.
  let count = 0;
  for (const pid of tree.pids()) {
    if (++count > MANY) hurry();
    send(pid, "SIGSTOP");
  }
  const end = performance.now() + FLOOD_MS;
  let deadline = performance.now() + KILL_MS;
  let fewest = Infinity;
  const killed = new Set<number>();
  for (let waitMs = 1;; waitMs = Math.min(2 * waitMs, LONGEST_PAUSE_MS)) {
    const victims = stopAll(tree, deadline, hurry);
    if (victims.size === 0) return 0;
    const now = performance.now();
    // Thousands take their time to die where others keep the processors busy: while they become fewer or new ones are
    // found, it is not in vain.
    if (victims.size < fewest || [...victims].some((pid) => !killed.has(pid))) deadline = Math.min(now + KILL_MS, end);
    fewest = Math.min(fewest, victims.size);
    for (const pid of victims) {
      killed.add(pid);
      send(pid, "SIGKILL");
    }
    if (now > deadline) return victims.size;
    await pause(waitMs);
  }
}

/**
 * Stops (SIGSTOP) all processes of some trees. `still` says whether all of them did stop; the returned function lets
 * them continue.
 */
export function freezeTrees(trees: readonly Tree[]): { readonly still: boolean; resume(): void } {
  const deadline = performance.now() + FREEZE_MS;
  const stopped = trees.map((tree) => stopAll(tree, deadline));
  // The signal is on its way when it has been sent: a thread on another processor, or in a call that writes, goes on until
  // it arrives.
  while (performance.now() <= deadline && stopped.some((pids) => [...pids].some(isMoving))) {
    Atomics.wait(PAUSE, 0, 0, 1);
  }
  return {
    still: canWalk() && performance.now() <= deadline,
    resume() {
      for (const pid of stopped.flatMap((pids) => [...pids])) send(pid, "SIGCONT");
    },
  };
}

/** Stops a tree until a whole walk through it finds no new process; `onMany` is called if there are many. */
function stopAll(tree: Tree, deadline: number, onMany?: () => void): Set<number> {
  const stopped = new Set<number>();
  const groups = new Set<number>();
  for (;;) {
    const before = stopped.size;
    groups.clear();
    // Each process is stopped before its children are looked up: it can have no further ones then, so that each walk
    // finds fewer.
    tree.members(({ pid, group }) => {
      if (stopped.has(pid)) return;
      stopped.add(pid);
      if (stopped.size > MANY) onMany?.();
      send(pid, "SIGSTOP");
      // A signal to a group reaches every member at once: a bomb inside one group cannot outrun it. A group that somebody
      // else leads is left alone.
      if (stopped.has(group) && !groups.has(group)) {
        groups.add(group);
        send(-group, "SIGSTOP");
      }
    });
    if (stopped.size === before || performance.now() > deadline) return stopped;
  }
}

/** Whether any thread of a process is not stopped; proc_pid_stat(5). */
function isMoving(pid: number): boolean {
  return numbersIn(`/proc/${pid}/task`).some((thread) => {
    const text = readProc(`/proc/${pid}/task/${thread}/stat`);
    return text !== undefined && !/^[TtZX]/.test(text.slice(text.lastIndexOf(")") + 2));
  });
}

function livingOf(tree: Tree): ReturnType<Tree["members"]> {
  return tree.members().filter((process) => !process.zombie);
}

/** Whether the signal found a process or group to receive it. */
function send(pid: number, signal: Deno.Signal): boolean {
  try {
    Deno.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
