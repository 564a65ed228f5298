import { canWalk, type Tree } from "./process_tree.ts";
import { numbersIn, readProc } from "./procfs.ts";

/** Between asking a tree to end and ending it. */
const GRACE_MS = 2_000;
/** A process that SIGKILL does not end in this time sits in the kernel; nobody can end it sooner. */
const KILL_MS = 3_000;
const POLL_MS = 10;
const FREEZE_MS = 500;
/** Never signalled: to wait on it is to pause without letting anything else run. */
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
  const deadline = performance.now() + KILL_MS;
  for (;;) {
    const victims = stopAll(tree, deadline);
    if (victims.size === 0) return 0;
    for (const pid of victims) send(pid, "SIGKILL");
    if (performance.now() > deadline) return victims.size;
    await pause(1);
  }
}

/** Lets trees stand still; the answer lets them go on, and tells whether all of them did stand still. */
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

/** Stops a tree until a whole look at it finds nobody new. */
function stopAll(tree: Tree, deadline: number): Set<number> {
  const stopped = new Set<number>();
  for (;;) {
    const fresh = livingOf(tree).filter((process) => !stopped.has(process.pid));
    if (fresh.length === 0 || performance.now() > deadline) return stopped;
    const own = new Set([...stopped, ...fresh.map((process) => process.pid)]);
    for (const group of new Set(fresh.map((process) => process.group))) {
      // A signal to a group reaches every member at once: a bomb inside one group cannot outrun it. A group that somebody
      // else leads is left alone.
      if (own.has(group)) send(-group, "SIGSTOP");
    }
    for (const process of fresh) {
      stopped.add(process.pid);
      send(process.pid, "SIGSTOP");
    }
  }
}

/** Whether a thread of a process does anything but stand still; proc_pid_stat(5). */
function isMoving(pid: number): boolean {
  return numbersIn(`/proc/${pid}/task`).some((thread) => {
    const text = readProc(`/proc/${pid}/task/${thread}/stat`);
    return text !== undefined && !/^[TtZX]/.test(text.slice(text.lastIndexOf(")") + 2));
  });
}

function livingOf(tree: Tree): ReturnType<Tree["members"]> {
  return tree.members().filter((process) => !process.zombie);
}

/** Whether there was anybody to receive it. */
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
