// Carries a plan out: all of it or nothing. Each file is put in its place whole; what fails is taken back, step by step.
import { messageOf } from "../core/error.ts";
import { KIND, kindAt, type Tree } from "../core/support/tree.ts";
import { MOST_BYTES } from "./bounds.ts";
import { foldersOf, namesIn } from "./folders.ts";
import type { Wanted } from "./plan.ts";

/** What failed, and what could not be taken back after it. */
export interface ApplyFailure {
  /** A byte string. */
  readonly path: string;
  readonly why: string;
  /** Paths that stayed changed; empty in all but the worst case. */
  readonly changed: readonly string[];
}

/** Makes the files as wanted; `umask` as of the process, `temporary` as of `Tree.putFile`. Undefined: all is done. */
export function applyPlan(
  tree: Tree,
  wanted: ReadonlyMap<string, Wanted>,
  umask: number,
  temporary?: string,
): ApplyFailure | undefined {
  const back: { readonly path: string; readonly undo: () => void }[] = [];
  const step = (path: string, work: () => void, undo: () => void): void => {
    work();
    back.push({ path, undo });
  };
  let at = "";
  try {
    const gone = [...wanted].filter(([path, want]) => want.kind === "absent" || isOtherKind(tree, path, want));
    for (const [path] of gone) {
      at = path;
      const restore = kept(tree, path);
      step(path, () => tree.remove(path, false), restore);
    }
    for (const [path] of gone) {
      at = path;
      removeEmptied(tree, path, step);
    }
    for (const [path, want] of wanted) {
      if (want.kind === "absent") continue;
      at = path;
      if (kindAt(tree, path) === KIND.folder) removeFolders(tree, path, step);
      makeFolders(tree, path, umask, step);
      const there = kindAt(tree, path) !== undefined;
      const restore = there ? kept(tree, path) : () => tree.remove(path, false);
      if (want.kind === "link") step(path, () => tree.putLink(path, want.target, temporary), restore);
      else step(path, () => tree.putFile(path, want.bytes, want.mode, temporary), restore);
    }
    return undefined;
  } catch (error) {
    const changed: string[] = [];
    for (const { path, undo } of back.reverse()) {
      try {
        undo();
      } catch {
        changed.push(path);
      }
    }
    return { path: at, why: messageOf(error), changed };
  }
}

type Step = (path: string, work: () => void, undo: () => void) => void;

/** A link that becomes a file keeps nothing of what it was. */
function isOtherKind(tree: Tree, path: string, want: Wanted): boolean {
  const kind = kindAt(tree, path);
  return (kind === KIND.link && want.kind === "file") || (kind === KIND.file && want.kind === "link");
}

/** Brings back what stands at a path now. */
function kept(tree: Tree, path: string): () => void {
  const status = tree.status(path);
  if (status !== undefined && status.mode >> 12 === KIND.link) {
    const target = tree.readLink(path);
    if (target !== undefined) return () => tree.putLink(path, target);
  }
  const read = tree.read(path, MOST_BYTES);
  if (read === undefined) throw new Error("it cannot be read any more, so it could not be brought back");
  return () => tree.putFile(path, read.bytes, read.status.mode & 0o7777);
}

/** Removes the folders around what was removed that hold nothing any more, as git does. */
function removeEmptied(tree: Tree, path: string, step: Step): void {
  for (const folder of foldersOf(path)) {
    const status = tree.status(folder);
    if (status === undefined) continue;
    if (status.mode >> 12 !== KIND.folder || namesIn(tree, folder).length > 0) return;
    removeOne(tree, folder, status.mode & 0o777, step);
  }
}

/** Removes a folder that holds nothing but folders. */
function removeFolders(tree: Tree, folder: string, step: Step): void {
  for (const name of namesIn(tree, folder)) removeFolders(tree, `${folder}/${name}`, step);
  removeOne(tree, folder, (tree.status(folder)?.mode ?? 0o755) & 0o777, step);
}

function removeOne(tree: Tree, folder: string, mode: number, step: Step): void {
  step(folder, () => tree.remove(folder, true), () => {
    tree.makeFolder(folder, 0o700);
    tree.setMode(folder, mode);
  });
}

function makeFolders(tree: Tree, path: string, umask: number, step: Step): void {
  for (const folder of foldersOf(path).reverse()) {
    if (kindAt(tree, folder) !== undefined) continue;
    step(folder, () => tree.makeFolder(folder, 0o777 & ~umask), () => tree.remove(folder, true));
  }
}
