// Which processes belong to a call. A process leaves its parent's tree by a double fork; as subreaper the host becomes
// its parent then, so that whatever a call leaves behind is a child of the host that nobody awaits: a stray.
import { systemCall } from "./ffi.ts";
import { below, childTable, countBelow } from "./descendants.ts";
import { childrenOfThread, type ProcessStat, statOf } from "./procfs.ts";

const PR_SET_CHILD_SUBREAPER = 36;
const WNOHANG = 1;

/** Processes that somebody in this program started in a session of their own and awaits. */
const awaited = new Set<number>();
/** Children that were there while no call ran: somebody in this program started them, whether registered or not. */
const older = new Set<number>();
const trees = new Set<OpenTree>();
let subreaper = false;
let expected = false;

/** The processes of one call. */
export interface Tree {
  readonly root: number;
  /**
   * Everything that belongs to the call now, its root first, zombies included; takes in strays and reaps dead ones.
   *
   * `onMeet` is called for each that lives before its children are looked up: what it stops has no further ones.
   */
  members(onMeet?: (process: ProcessStat) => void): ProcessStat[];
  /**
   * How many there are, counted no further than to one more than `most`: what takes a tenth of the time of `members`, and
   * misses what threads other than the first of a process have started. `onMeet` as there.
   */
  count(most: number, onMeet?: (pid: number) => void): number;
  /** Forgets the call; what it left is then anybody's. */
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

/** Follows the processes of a call. `root` is a detached child that `keepProcess` knows. */
export function openTree(root: number): Tree {
  // Too late to tell a command's first orphans from others, where it runs already.
  if (trees.size === 0 && !expected) rememberChildren(root);
  expected = false;
  // What the others have left by now is known as theirs before anything new can be.
  for (const other of trees) other.members();
  const seen = new Set<number>([root]);
  const sessions = new Set<number>([root]);
  const owns = (stray: Stray): boolean => seen.has(stray.pid) || sessions.has(stray.session);
  const tree: OpenTree = {
    root,
    owns,
    members(onMeet) {
      if (!canWalk()) return [];
      const found = below(rootsOf(tree), onMeet);
      for (const process of found) {
        seen.add(process.pid);
        sessions.add(process.session);
      }
      return found;
    },
    count: (most, onMeet) => canWalk() ? countBelow(numbersOf(tree), most, onMeet) : 0,
    close: () => void trees.delete(tree),
  };
  trees.add(tree);
  return tree;
}

/** A call's first process and its strays, one by one: each is met before the next is looked at. */
function* rootsOf(tree: OpenTree): Generator<ProcessStat> {
  const first = awaited.has(tree.root) ? statOf(tree.root) : undefined;
  if (first) yield first;
  for (const stray of strays()) if (tree.owns(stray) || mayOwn(tree, stray)) yield stray;
}

/** The same without a look at each: the dead are among them. */
function* numbersOf(tree: OpenTree): Generator<number> {
  if (awaited.has(tree.root)) yield tree.root;
  const own = sessionOf(0);
  for (const pid of ownChildren()) {
    if (awaited.has(pid) || older.has(pid)) continue;
    const stray = { pid, session: sessionOf(pid) };
    if (stray.session > 0 && stray.session !== own && (tree.owns(stray) || mayOwn(tree, stray))) yield pid;
  }
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

/** Orphans go to the first thread. Children that other threads started are theirs to await. */
function ownChildren(): number[] {
  return childrenOfThread(Deno.pid, Deno.pid) ?? childTable().get(Deno.pid) ?? [];
}

function rememberChildren(except?: number): void {
  older.clear();
  if (!canWalk()) return;
  for (const pid of ownChildren()) if (pid !== except) older.add(pid);
}

/** Children of this program that nobody awaits; the dead among them are reaped and left out. */
function* strays(): Generator<ProcessStat> {
  const own = statOf(Deno.pid)?.session;
  for (const pid of ownChildren()) {
    if (awaited.has(pid) || older.has(pid)) continue;
    const process = statOf(pid);
    // A child in the host's own session was started by the host: nobody can join a session from outside.
    if (!process || process.parent !== Deno.pid || process.session === own) continue;
    if (process.zombie) reap(pid);
    else yield process;
  }
}

/** Of this process where `pid` is 0; negative where there is no such process. getsid(2) */
function sessionOf(pid: number): number {
  return systemCall("getsid", pid);
}

/** Never for a process that Deno awaits: its status would be lost. */
function reap(pid: number): void {
  systemCall("wait4", pid, 0, WNOHANG);
}
