// What stood in the workspace before a patch was applied, written down before the first change: applying that was ended in the
// middle, by SIGKILL or a crash, is found by whoever comes next and taken back.
import { messageOf } from "../core/error.ts";
import { attempt } from "../core/support/attempt.ts";
import { sha256 } from "../core/support/digest.ts";
import { below, KIND, kindAt, type Tree } from "../core/support/tree.ts";
import { MOST_BYTES } from "./bounds.ts";
import { foldersOf, namesIn } from "./folders.ts";
import type { Wanted } from "./plan.ts";
import { isEqual } from "./write_patch.ts";

/** What stood at a path. Contents are behind the first line of the journal. */
type Before =
  | { readonly kind: "absent" }
  | { readonly kind: "folder" }
  | { readonly kind: "link"; readonly target: string }
  | { readonly kind: "file"; readonly mode: number; readonly at: number; readonly length: number };

/** What was to stand there. */
type After =
  | { readonly kind: "absent" }
  | { readonly kind: "link"; readonly target: string }
  | { readonly kind: "file"; readonly mode: number; readonly digest: string };

interface Step {
  /** A byte string, as all paths and targets here. */
  readonly path: string;
  readonly before: Before;
  readonly after: After;
}

/** A folder that may be removed or made on the way: its mode, or null where there was none. */
interface FolderBefore {
  readonly path: string;
  readonly mode: number | null;
}

interface Head {
  readonly type: "apply";
  readonly version: 1;
  readonly root: string;
  /** Name of what is being written, in whichever folder. */
  readonly temporary: string;
  readonly steps: readonly Step[];
  readonly folders: readonly FolderBefore[];
}

/** A journal that was found. */
export interface ApplyJournal {
  readonly head: Head;
  readonly contents: Uint8Array<ArrayBuffer>;
}

/** What came of an application that was cut off; byte strings. */
export interface TakenBack {
  /** Whether it had done all: then nothing was changed. */
  readonly isComplete: boolean;
  readonly restored: readonly {
    readonly path: string;
    /** Whether nothing stood there. */
    readonly isRemoved: boolean;
    readonly isLink: boolean;
  }[];
  /** What somebody else changed since, and is left as it is. */
  readonly left: readonly { readonly path: string; readonly why: string }[];
  /** What could not be taken back, and may be the next time. */
  readonly failed: readonly { readonly path: string; readonly why: string }[];
}

/** What stands where a plan changes something. Throws an `Error` for what cannot be read. */
export function applyJournal(tree: Tree, wanted: ReadonlyMap<string, Wanted>, temporary: string): ApplyJournal {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const folders = new Map<string, number | null>();
  const note = (path: string): unknown => folders.set(path, folderMode(tree, path) ?? null);
  const steps = [...wanted].map(([path, want]): Step => {
    for (const folder of foldersOf(path)) if (!folders.has(folder)) note(folder);
    const before = beforeAt(tree, path, (bytes) => {
      pieces.push(bytes);
      length += bytes.length;
      return length - bytes.length;
    });
    if (before.kind === "folder") { for (const folder of foldersIn(tree, path)) note(folder); }
    return { path, before, after: afterOf(want) };
  });
  const contents = concat(pieces);
  const list = [...folders].map(([path, mode]) => ({ path, mode }));
  return { head: { type: "apply", version: 1, root: tree.root, temporary, steps, folders: list }, contents };
}

function concat(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** The bytes of a journal's file. */
export function journalBytes({ head, contents }: ApplyJournal): Uint8Array<ArrayBuffer> {
  return concat([new TextEncoder().encode(JSON.stringify(head) + "\n"), contents]);
}

/** The journal in a file's bytes; undefined where there is none. */
export function readJournal(bytes: Uint8Array<ArrayBuffer>): ApplyJournal | undefined {
  const end = bytes.indexOf(10);
  try {
    const head = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end))) as Head; // this program alone writes there
    if (head.type !== "apply" || head.version !== 1) return undefined;
    return { head, contents: bytes.subarray(end + 1) };
  } catch {
    return undefined;
  }
}

/**
 * Puts back what was changed of a plan before it was cut off. What is neither as it was nor as it was to become is somebody
 * else's work and is left. May be cut off itself, and repeated. `isDry`: only says what it would do.
 */
export function takeBack(files: Tree, { head, contents }: ApplyJournal, isDry = false): TakenBack {
  /** What a dry run would have removed by now. */
  const gone = new Set<string>();
  const tree = isDry ? { ...files, ...NO_CHANGES, remove: (path: string) => void gone.add(path) } : files;
  const { steps, folders, temporary } = head;
  for (const folder of new Set(["", ...folders.map(({ path }) => path)])) {
    attempt(() => tree.remove(below(folder, temporary), false)); // Mostly there is none.
  }
  const made = folders.filter(({ mode }) => mode === null).map(({ path }) => path);
  // What was removed may have made room for a folder of the plan.
  const isDone = (step: Step): boolean =>
    isAfter(tree, step) ||
    (step.after.kind === "absent" && made.includes(step.path) && kindAt(tree, step.path) === KIND.folder);
  if (steps.every(isDone)) return { isComplete: true, restored: [], left: [], failed: [] };
  const restored: TakenBack["restored"][number][] = [];
  const left: { path: string; why: string }[] = [];
  const failed: { path: string; why: string }[] = [];
  const each = (list: readonly Step[], work: (step: Step) => "restored" | "as it was" | "changed since"): void => {
    for (const step of list) {
      const { path } = step;
      try {
        const done = work(step);
        if (done === "restored") {
          const { kind } = step.before;
          const isRemoved = kind === "absent" || kind === "folder";
          restored.push({ path, isRemoved, isLink: (isRemoved ? step.after : step.before).kind === "link" });
        }
        if (done === "changed since") left.push({ path, why: "somebody else changed it since" });
      } catch (error) {
        failed.push({ path, why: messageOf(error) });
      }
    }
  };
  each(steps.filter(({ before }) => before.kind === "absent" || before.kind === "folder"), (step) => {
    const kind = kindAt(tree, step.path);
    if (kind === undefined) return "as it was";
    if (kind === KIND.folder) return step.before.kind === "folder" ? "as it was" : "changed since";
    if (!isAfter(tree, step)) return "changed since";
    tree.remove(step.path, false);
    return "restored";
  });
  for (const folder of made.sort((a, b) => b.length - a.length)) {
    try {
      const isEmpty = kindAt(tree, folder) === KIND.folder &&
        namesIn(tree, folder).every((name) => gone.has(`${folder}/${name}`));
      if (isEmpty) tree.remove(folder, true);
    } catch (error) {
      failed.push({ path: folder, why: messageOf(error) });
    }
  }
  const modes = new Map(folders.map(({ path, mode }) => [path, mode]));
  const makeFolder = (path: string): void => {
    const mode = modes.get(path);
    if (typeof mode !== "number" || kindAt(tree, path) !== undefined) return;
    tree.makeFolder(path, 0o700);
    tree.setMode(path, mode);
  };
  each(steps, (step) => {
    const { path, before, after } = step;
    if (before.kind === "absent") return "as it was";
    if (before.kind === "folder") {
      const inside = [...modes.keys()].filter((folder) => folder === path || folder.startsWith(`${path}/`));
      for (const folder of [...foldersOf(path).reverse(), ...inside.sort((a, b) => a.length - b.length)]) {
        makeFolder(folder);
      }
      return "as it was";
    }
    if (isBefore(tree, path, before, contents)) return "as it was";
    const isGone = gone.has(path) || (kindAt(tree, path) === undefined && before.kind !== after.kind);
    if (!isGone && !isAfter(tree, step)) return "changed since";
    for (const folder of foldersOf(path).reverse()) makeFolder(folder);
    if (before.kind === "link") tree.putLink(path, before.target, temporary);
    else tree.putFile(path, piece(before, contents), before.mode, temporary);
    return "restored";
  });
  return { isComplete: false, restored, left, failed };
}

const NO_CHANGES = {
  putFile: () => {},
  putLink: () => {},
  makeFolder: () => {},
  setMode: () => {},
};

function beforeAt(tree: Tree, path: string, keep: (bytes: Uint8Array) => number): Before {
  switch (kindAt(tree, path)) {
    case undefined:
      return { kind: "absent" };
    case KIND.folder:
      return { kind: "folder" };
    case KIND.link: {
      const target = tree.readLink(path);
      if (target !== undefined) return { kind: "link", target };
      break;
    }
    case KIND.file: {
      const read = tree.read(path, MOST_BYTES);
      if (read === undefined) break;
      const { bytes, status: { mode } } = read;
      return { kind: "file", mode: mode & 0o7777, at: keep(bytes), length: bytes.length };
    }
  }
  throw new Error("it cannot be read any more, so it could not be brought back");
}

function afterOf(want: Wanted): After {
  return want.kind === "file" ? { kind: "file", mode: want.mode, digest: sha256(want.bytes) } : want;
}

function isAfter(tree: Tree, { path, after }: Step): boolean {
  const kind = kindAt(tree, path);
  if (after.kind === "absent") return kind === undefined;
  if (after.kind === "link") return kind === KIND.link && tree.readLink(path) === after.target;
  const read = kind === KIND.file ? tree.read(path, MOST_BYTES) : undefined;
  return read !== undefined && (read.status.mode & 0o7777) === after.mode && sha256(read.bytes) === after.digest;
}

function isBefore(tree: Tree, path: string, before: Before, contents: Uint8Array<ArrayBuffer>): boolean {
  const kind = kindAt(tree, path);
  if (before.kind === "link") return kind === KIND.link && tree.readLink(path) === before.target;
  if (before.kind !== "file" || kind !== KIND.file) return false;
  const read = tree.read(path, MOST_BYTES);
  return read !== undefined && (read.status.mode & 0o7777) === before.mode &&
    isEqual(read.bytes, piece(before, contents));
}

function piece(
  { at, length }: Extract<Before, { kind: "file" }>,
  contents: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> {
  return contents.subarray(at, at + length);
}

function folderMode(tree: Tree, path: string): number | undefined {
  const mode = tree.status(path)?.mode;
  return mode !== undefined && mode >> 12 === KIND.folder ? mode & 0o777 : undefined;
}

/** A folder and those below it. */
function foldersIn(tree: Tree, folder: string): string[] {
  const inner = namesIn(tree, folder).map((name) => `${folder}/${name}`);
  return [folder, ...inner.filter((path) => kindAt(tree, path) === KIND.folder).flatMap((one) => foldersIn(tree, one))];
}
