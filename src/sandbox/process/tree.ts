// Which processes belong to a call. A process leaves its parent's tree by a double fork; as subreaper the host becomes
// its parent then, so that whatever a call leaves behind is a child of the host that nobody awaits: a stray.
import { systemCall } from "../system/ffi.ts";
import { childrenOfThread, numbersIn, type ProcessStat, readProc, statOf } from "../system/procfs.ts";

const PR_SET_CHILD_SUBREAPER = 36;
const WNOHANG = 1;
const WEXITED = 4;
const WNOWAIT = 0x1000000;
const P_PID = 1;
/** siginfo_t, whose first word is 0 where nothing has happened. */
const changed = new Int32Array(32);
const changedBytes = new Uint8Array(changed.buffer);

/** Processes that this program started in sessions of their own and awaits. */
const awaited = new Set<number>();
/**
 * Children of this program that existed while no call ran: started by something else in it, whether registered or not.
 */
const older = new Set<number>();
const trees = new Set<OpenTree>();
let subreaper = false;
let expected = false;
let lists: boolean | undefined;

/** The processes of one call. */
export interface Tree {
  readonly root: number;
  /**
   * Everything that belongs to the call now, its first process first, zombies included.
   *
   * Each comes before its children are looked up: what is stopped when it comes has no further ones.
   */
  pids(): Generator<number>;
  /** How many there are, counted no further than to one more than `most`: looking at each would take several times as long. */
  count(most: number): number;
  /**
   * The same, looked at one by one; what belongs to one of their sessions is the call's from then on. `onMeet` is called for
   * each that lives, before its children are looked up.
   */
  members(onMeet?: (process: ProcessStat) => void): ProcessStat[];
  /** Forgets the call; processes that it left behind then belong to no call. */
  close(): void;
}

type Stray = Pick<ProcessStat, "pid" | "session">;

interface OpenTree extends Tree {
  owns(stray: Stray): boolean;
}

/** Whether trees can be walked here: on other systems than Linux only process groups are known. */
export function canWalk(): boolean {
  return Deno.build.os === "linux";
}

/** Makes orphans below this program its children instead of init's; prctl(2). */
export function becomeSubreaper(): void {
  if (subreaper || !canWalk()) return;
  subreaper = systemCall("prctl", PR_SET_CHILD_SUBREAPER, 1) === 0;
}

/** Marks a detached child as awaited, so that it is never taken for a stray, until its status is known. */
export function keepProcess(child: Pick<Deno.ChildProcess, "pid" | "status">): void {
  awaited.add(child.pid);
  const forget = (): boolean => awaited.delete(child.pid);
  child.status.then(forget, forget);
}

/** To be called before a command starts: what the host has for children now is none of the command's. */
export function expectTree(): void {
  if (trees.size > 0) return;
  rememberChildren();
  expected = true;
}

/** Whether a child of this program has not ended; asked of the kernel, which knows before Deno does. Its status stays there. */
export function isRunning(child: number): boolean {
  if (!canWalk()) return true;
  return systemCall("waitid", P_PID, child, changedBytes, WNOHANG | WEXITED | WNOWAIT) === 0 && changed[0] === 0;
}

/** Follows the processes of a call. `root` is a detached child that `keepProcess` knows. */
export function openTree(root: number): Tree {
  // If the command already runs, its first orphans can no longer be told from other children.
  if (trees.size === 0 && !expected) rememberChildren(root);
  expected = false;
  // Before this call can have any, every orphan there is now is assigned to the other calls.
  for (const other of trees) other.members();
  const seen = new Set<number>([root]);
  const sessions = new Set<number>([root]);
  const owns = (stray: Stray): boolean => seen.has(stray.pid) || sessions.has(stray.session);
  const tree: OpenTree = {
    root,
    owns,
    *pids() {
      if (canWalk()) yield* below(rootsOf(tree));
    },
    count(most) {
      let count = 0;
      for (const _ of tree.pids()) if (++count > most) break;
      return count;
    },
    members(onMeet) {
      const found: ProcessStat[] = [];
      for (const pid of tree.pids()) {
        const process = statOf(pid);
        if (!process) continue;
        found.push(process);
        seen.add(pid);
        sessions.add(process.session);
        if (!process.zombie) onMeet?.(process);
      }
      return found;
    },
    close: () => void trees.delete(tree),
  };
  trees.add(tree);
  return tree;
}

/** A call's first process and its strays, one by one: each is met before the next is looked at. */
function* rootsOf(tree: OpenTree): Generator<number> {
  if (awaited.has(tree.root)) yield tree.root;
  const own = sessionOf(0);
  for (const pid of ownChildren()) {
    if (awaited.has(pid) || older.has(pid)) continue;
    const stray = { pid, session: sessionOf(pid) };
    // A child in the host's own session was started by the host: nobody can join a session from outside.
    if (stray.session <= 0 || stray.session === own || hasReaped(pid)) continue;
    if (tree.owns(stray) || mayOwn(tree, stray)) yield pid;
  }
}

/** Whole trees of processes, each process before its children are looked up. */
function* below(roots: Iterable<number>): Generator<number> {
  const known = new Set<number>();
  const parents = hasLists() ? undefined : parentTable();
  const fresh = (pid: number): boolean => !known.has(pid) && known.add(pid).has(pid);
  for (const root of roots) if (fresh(root)) yield root;
  // A set visits what is added while it is walked.
  for (const pid of known) {
    const children = parents?.get(pid) ??
      numbersIn(`/proc/${pid}/task`).flatMap((thread) => childrenOfThread(pid, thread) ?? []);
    for (const child of children) if (fresh(child)) yield child;
  }
}

/** Whether the kernel keeps lists of children (CONFIG_PROC_CHILDREN); where not, all of the machine's are looked at. */
function hasLists(): boolean {
  return lists ??= childrenOfThread(Deno.pid, Deno.pid) !== undefined;
}

function parentTable(): Map<number, number[]> {
  return Map.groupBy(numbersIn("/proc"), (pid) => statOf(pid)?.parent ?? -1);
}

/** Orphans go to the first thread. Children that other threads started are theirs to await. */
function ownChildren(): number[] {
  return childrenOfThread(Deno.pid, Deno.pid) ?? parentTable().get(Deno.pid) ?? [];
}

/**
 * Whether a stray that no tree knows yet is this one's. The root of a confined call is a subreaper itself and keeps its
 * orphans as long as it lives, so they come from a tree whose root has ended, if there is one.
 */
function mayOwn(tree: OpenTree, stray: Stray): boolean {
  if ([...trees].some((other) => other !== tree && other.owns(stray))) return false;
  return hasEnded(tree.root) || ![...trees].some((other) => other !== tree && hasEnded(other.root));
}

function hasEnded(root: number): boolean {
  return !awaited.has(root) || statOf(root)?.zombie !== false;
}

function rememberChildren(except?: number): void {
  older.clear();
  if (!canWalk()) return;
  const own = sessionOf(0);
  for (const pid of ownChildren()) {
    if (pid === except) continue;
    // What this program starts is in its own session or leads one: another is an orphan, and nobody awaits its end. Of a
    // command's, that is: a program that embeds this one may have adopted orphans of its own.
    const isOrphan = !awaited.has(pid) && ![own, pid].includes(sessionOf(pid)) && isConfined(pid);
    if (!isOrphan || !hasReaped(pid)) older.add(pid);
  }
}

/** Whether a process can gain nothing by a start, as those of commands: no process gets rid of that. */
function isConfined(pid: number): boolean {
  return /^NoNewPrivs:\t1$/m.test(readProc(`/proc/${pid}/status`) ?? "");
}

/** Of this process where `pid` is 0; negative where there is no such process. getsid(2) */
function sessionOf(pid: number): number {
  return systemCall("getsid", pid);
}

/** Whether a child has ended, which is gone then. Never for one that Deno awaits: its status would be lost. */
function hasReaped(pid: number): boolean {
  return systemCall("wait4", pid, 0, WNOHANG) === pid;
}
