// Puts files back. What is on the disk is looked at right before each step, and what is not as the session left it stays.
// One file above the usual length: the plan and its steps judge what is on the disk by the same few questions, at its end.
import { createHash } from "node:crypto";
import type { UndoLeft, UndoStep } from "../core/changes.ts";
import { messageOf } from "../core/error.ts";
import { attempt } from "../core/support/attempt.ts";
import { bytePath, bytesOf, byteString, KIND, type Tree } from "../core/support/tree.ts";
import { lineFacts } from "./line_counts.ts";
import { digestOf } from "./pack.ts";
import type { OpenedFolder } from "./journal_file.ts";
import { type Change, holds, type State, stateFrom, thingOf, whyLost, whyTooLarge } from "./states.ts";
import type { Wanted } from "./undo_plan.ts";

/** The disk as undo may change it. Paths are absolute byte strings. */
export interface UndoDisk {
  /** The tree that a path lies in, and its path there; a sentence where it may not be changed. */
  readonly at: (path: string) => { readonly tree: Tree; readonly path: string } | string;
  /** What was kept; undefined where it cannot be had any more. */
  readonly content: (content: string, path: string) => Uint8Array<ArrayBuffer> | undefined;
  /** Keeps what is overwritten, so that undo can be undone: its name, or undefined where there is no room. */
  readonly keep: (bytes: Uint8Array<ArrayBuffer>) => string | undefined;
  /** Larger files are not kept, and not read: a file of any size costs nothing to make. */
  readonly maxFileBytes: number;
  /** A path as people see it. */
  readonly shown: (path: string) => string;
  /** Called before the first step. */
  readonly begins: (paths: readonly string[], opened: readonly OpenedFolder[]) => void;
}

interface Task {
  readonly path: string;
  readonly tree: Tree;
  readonly inner: string;
  readonly now: State;
  readonly want: State;
  readonly action: UndoStep["action"];
}

/** What is to be done, and what is not. */
export interface UndoWork {
  readonly tasks: readonly Task[];
  readonly left: readonly UndoLeft[];
}

/** Larger ones are not read to be compared. */
const MOST_BYTES = 1024 ** 3;
const FOREIGN = "somebody else changed it since";

/** Compares what should be with what is. Changes nothing. `interrupted`: paths that an interrupted undo was changing. */
export function planUndo(
  wanted: ReadonlyMap<string, Wanted>,
  disk: UndoDisk,
  force: boolean,
  interrupted?: ReadonlySet<string>,
): UndoWork {
  const tasks: Task[] = [];
  const left: UndoLeft[] = [];
  const isOfRepository = repositoriesIn(wanted, disk);
  for (const [path, { want, expect, isForeign }] of [...wanted].sort(([a], [b]) => a < b ? -1 : 1)) {
    const leave = (why: string, isForcible = false): unknown => left.push({ path: disk.shown(path), why, isForcible });
    const place = disk.at(path);
    if (typeof place === "string") {
      leave(place);
      continue;
    }
    const now = stateAt(place.tree, place.path);
    const isTold = !isWrittenUnseen(want, expect);
    if (isSame(place.tree, place.path, now, want, isTold)) continue;
    if (isOfRepository(path, want)) {
      leave("it is git's own");
      continue;
    }
    const isBetween = interrupted?.has(path) === true &&
      isHalfDone(place.tree, place.path, now, want, isForeign ? want : expect);
    if (!force && !isBetween && (isForeign || !isSame(place.tree, place.path, now, expect))) {
      leave(FOREIGN, true);
      continue;
    }
    const why = whyLost(want);
    if (why !== undefined) {
      leave(why);
      continue;
    }
    const action = want.kind === "absent"
      ? "remove"
      : isModeAlone(place.tree, place.path, now, want, isTold)
      ? "mode"
      : "restore";
    tasks.push({ path, tree: place.tree, inner: place.path, now, want, action });
  }
  return { tasks, left };
}

/**
 * Whether a path lies in a folder that git takes for a repository, or could after only some of the steps: commands write there
 * under a watch, which would not see what undo puts there, and of which objects and references one needs the other. One that is
 * to be gone again may be removed.
 */
function repositoriesIn(
  wanted: ReadonlyMap<string, Wanted>,
  { at }: UndoDisk,
): (path: string, want: State) => boolean {
  const known = new Map<string, boolean>();
  const has = (path: string): boolean => {
    if ((wanted.get(path)?.want.kind ?? "absent") !== "absent") return true;
    const place = at(path);
    return typeof place !== "string" && place.tree.status(place.path) !== undefined;
  };
  const isRepository = (folder: string): boolean => {
    const last = known.get(folder);
    if (last !== undefined) return last;
    const is = has(`${folder}/HEAD`) && (has(`${folder}/objects`) || has(`${folder}/commondir`));
    known.set(folder, is);
    return is;
  };
  return (path, want) => {
    for (let cut = path.lastIndexOf("/"); cut > 0; cut = path.lastIndexOf("/", cut - 1)) {
      const folder = path.slice(0, cut);
      const goes = want.kind === "absent" && wanted.get(`${folder}/HEAD`)?.want.kind === "absent";
      if (!goes && isRepository(folder)) return true;
    }
    return false;
  };
}

/** The steps as people are told them. */
export function stepsOf(tasks: readonly Pick<Task, "path" | "action" | "want" | "now">[], disk: UndoDisk): UndoStep[] {
  return tasks.map(({ path, action, want, now }) => ({
    path: disk.shown(path),
    action,
    thing: thingOf(want) ?? thingOf(now) ?? "other",
  }));
}

/** Takes the steps: what was done, as the journal keeps it, and what was not after all. */
export function runUndo({ tasks }: UndoWork, disk: UndoDisk): {
  readonly changes: readonly Change[];
  readonly left: readonly UndoLeft[];
  readonly done: readonly Task[];
} {
  const left: UndoLeft[] = [];
  const failed = new Set<string>();
  const kept = new Map<string, State>();
  const lines = new Map<string, Pick<Change, "lines" | "isBinary">>();
  const step = (task: Task, work: () => void): void => {
    if (failed.has(task.path)) return;
    try {
      work();
    } catch (error) {
      failed.add(task.path);
      left.push({ path: disk.shown(task.path), why: messageOf(error), isForcible: false });
    }
  };
  const folders = closedFolders(tasks);
  disk.begins(
    tasks.map(({ path }) => path),
    folders.map(({ tree, path, mode }) => ({ path: `${bytePath(tree.root)}/${path}`, mode })),
  );
  const closed = openFolders(tasks, folders);
  const isInTheWay = ({ now, want }: Task): boolean =>
    now.kind !== "absent" &&
    (want.kind === "absent" || (now.kind !== want.kind && [now.kind, want.kind].includes("folder")));
  for (const task of tasks.filter(isInTheWay).sort(byDepth(-1))) {
    step(task, () => {
      const { bytes, state } = keptNow(task, disk);
      kept.set(task.path, state);
      task.tree.remove(task.inner, task.now.kind === "folder");
      if (bytes && task.want.kind === "absent") lines.set(task.path, lineFacts(bytes, NOTHING));
    });
  }
  const ofKind = (kind: State["kind"]): Task[] => tasks.filter(({ want }) => want.kind === kind).sort(byDepth(1));
  for (const task of ofKind("folder")) {
    step(task, () => {
      if (task.now.kind !== "folder") makeFolders(task.tree, task.inner);
    });
  }
  for (const task of [...ofKind("file"), ...ofKind("link")]) {
    step(task, () => {
      const { want, tree, inner } = task;
      if (!holds(want)) return;
      if (task.action === "mode") return tree.setMode(inner, want.mode);
      const bytes = want.content === undefined ? undefined : disk.content(want.content, task.path);
      if (bytes === undefined) throw new Error("what was kept of it is gone");
      const before = kept.has(task.path) ? undefined : keptNow(task, disk);
      if (before) kept.set(task.path, before.state);
      makeFolders(tree, inner.slice(0, Math.max(0, inner.lastIndexOf("/"))));
      if (want.kind === "link") tree.putLink(inner, byteString(bytes));
      else tree.putFile(inner, bytes, want.mode);
      // Of one that was not read nobody knows the lines.
      if (before?.bytes || task.now.kind !== "file") lines.set(task.path, lineFacts(before?.bytes ?? NOTHING, bytes));
    });
  }
  for (const task of ofKind("folder").reverse()) {
    step(task, () => task.want.kind === "folder" ? task.tree.setMode(task.inner, task.want.mode) : undefined);
  }
  closed();
  const done = tasks.filter(({ path }) => !failed.has(path));
  const changes = done.map((task): Change => {
    const after = stateAt(task.tree, task.inner);
    const content = holds(task.want) ? task.want.content : undefined;
    return {
      path: task.path,
      before: kept.get(task.path) ?? withContent(task),
      after: content !== undefined && holds(after) ? { ...after, content } : after,
      ...lines.get(task.path),
    };
  });
  return { changes, left, done };
}

const NOTHING = new Uint8Array();

/** What stands at a path now; its content is not known. */
function stateAt(tree: Tree, path: string): State {
  return stateFrom(tree.status(path));
}

/** Whether the times of a file do not tell one content from the other: it was written through a mapping. */
function isWrittenUnseen(want: State, expect: State): boolean {
  return want.kind === "file" && expect.kind === "file" && want.stamp === expect.stamp &&
    want.content !== expect.content;
}

/** Whether undo itself can have left a path so between two of its steps. */
function isHalfDone(tree: Tree, path: string, now: State, want: State, expect: State): boolean {
  if (now.kind === "absent") return true;
  if (now.kind === "folder") return [want.kind, expect.kind].includes("folder");
  return isModeAlone(tree, path, now, want, true) || isModeAlone(tree, path, now, expect, true);
}

/** Whether a path is as a state says. Reads it where the times differ, or do not tell, and the size does not. */
function isSame(tree: Tree, path: string, now: State, state: State, isTold = true): boolean {
  if (now.kind === "absent" || state.kind === "absent" || now.kind !== state.kind) return now.kind === state.kind;
  if (now.kind === "unknown" || state.kind === "unknown") return false;
  return (now.kind === "link" || now.mode === state.mode) && hasContent(tree, path, now, state, isTold);
}

function isModeAlone(tree: Tree, path: string, now: State, want: State, isTold: boolean): boolean {
  return now.kind === want.kind && now.kind !== "absent" && hasContent(tree, path, now, want, isTold);
}

function hasContent(tree: Tree, path: string, now: State, state: State, isTold: boolean): boolean {
  if (!holds(now) || !holds(state)) return true;
  if (isTold && now.stamp === state.stamp) return true;
  if (now.size !== state.size || state.content === undefined) return false;
  const bytes = bytesAt(tree, path, now.kind);
  return bytes !== undefined && isContent(bytes, state.content);
}

/** Whether some bytes are a content. An object of git has the length in front: gitformat-loose. */
export function isContent(bytes: Uint8Array, content: string): boolean {
  const hex = content.slice(content.indexOf(":") + 1);
  if (content.startsWith("sha256:")) return new Uint8Array(digestOf(bytes)).toHex() === hex;
  const hash = createHash(hex.length === 40 ? "sha1" : "sha256");
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest("hex") === hex;
}

function bytesAt(tree: Tree, path: string, kind: "file" | "link"): Uint8Array<ArrayBuffer> | undefined {
  if (kind === "file") return tree.read(path, MOST_BYTES)?.bytes;
  const target = tree.readLink(path);
  return target === undefined ? undefined : bytesOf(target);
}

/** What is overwritten, kept. */
function keptNow({ tree, inner, now }: Task, disk: UndoDisk): {
  readonly bytes: Uint8Array<ArrayBuffer> | undefined;
  readonly state: State;
} {
  if (!holds(now)) return { bytes: undefined, state: now };
  if (now.size > disk.maxFileBytes) return { bytes: undefined, state: { ...now, why: whyTooLarge(disk.maxFileBytes) } };
  const bytes = bytesAt(tree, inner, now.kind);
  const content = bytes && disk.keep(bytes);
  return {
    bytes,
    state: content === undefined ? { ...now, why: "there was no room to keep it" } : { ...now, content },
  };
}

/** What was there of a path of which only the mode was changed: the content is that of before and after. */
function withContent({ now, want }: Task): State {
  return holds(now) && holds(want) && want.content !== undefined ? { ...now, content: want.content } : now;
}

function byDepth(sign: 1 | -1): (a: Task, b: Task) => number {
  const depth = (path: string): number => path.split("/").length;
  return (a, b) => sign * (depth(a.path) - depth(b.path));
}

/** The folders down to a path, those that are not there with the usual mode. */
function makeFolders(tree: Tree, path: string): void {
  if (path === "" || (tree.status(path)?.mode ?? 0) >> 12 === KIND.folder) return;
  makeFolders(tree, path.slice(0, Math.max(0, path.lastIndexOf("/"))));
  tree.makeFolder(path, 0o755);
}

interface ClosedFolder {
  readonly tree: Tree;
  readonly path: string;
  /** Permission bits. */
  readonly mode: number;
}

/** The folders where something is to be done and the owner may not change names, the outer ones first. */
function closedFolders(tasks: readonly Task[]): readonly ClosedFolder[] {
  const closed: ClosedFolder[] = [];
  const seen = new Set<string>();
  for (const { tree, inner } of [...tasks].sort(byDepth(1))) {
    const folder = inner.slice(0, Math.max(0, inner.lastIndexOf("/")));
    const key = `${tree.root}\0${folder}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const mode = tree.status(folder)?.mode;
    if (mode === undefined || mode >> 12 !== KIND.folder || (mode & 0o300) === 0o300) continue;
    closed.push({ tree, path: folder, mode: mode & 0o7777 });
  }
  return closed;
}

/** Lets the owner change names in folders; the returned function takes it back. */
function openFolders(tasks: readonly Task[], closed: readonly ClosedFolder[]): () => void {
  const opened: ClosedFolder[] = [];
  for (const one of closed) {
    try {
      one.tree.setMode(one.path, one.mode | 0o700);
      opened.push(one);
    } catch {
      // The step in it says why it cannot be taken.
    }
  }
  const wanted = new Set(
    tasks.filter(({ want }) => want.kind === "folder").map(({ tree, inner }) => `${tree.root}\0${inner}`),
  );
  return () => {
    for (const { tree, path, mode } of opened.reverse()) {
      // What stands there now is another thing, or nothing.
      if (wanted.has(`${tree.root}\0${path}`) || (tree.status(path)?.mode ?? 0) >> 12 !== KIND.folder) continue;
      attempt(() => tree.setMode(path, mode)); // It may have been removed.
    }
  };
}
