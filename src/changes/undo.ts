import type { ChangeSet, UndoLeft, UndoOutcome, UndoPoint, UndoRequest } from "../core/changes.ts";
import { UserError } from "../core/error.ts";
import { isInside } from "../core/policy.ts";
import { bytePath, KIND, kindAt } from "../core/support/tree.ts";
import { changeSet } from "./change_set.ts";
import { type Change, holds, shownIn } from "./states.ts";
import type { JournalFile, JournalRecord, OpenedFolder } from "./journal_file.ts";
import { attempt } from "../core/support/attempt.ts";
import type { Pack } from "./pack.ts";
import type { SessionEntry } from "../core/session.ts";
import type { Scope } from "./recorder.ts";
import { planUndo, runUndo, stepsOf, type UndoDisk } from "./restore.ts";
import {
  interruptedUndo,
  type Moment,
  momentsOf,
  positionAt,
  redoPosition,
  type Wanted,
  wantedBefore,
} from "./undo_plan.ts";

/** What undo works with. */
export interface UndoParts {
  /** The workspace. */
  readonly root: string;
  readonly journal: JournalFile;
  readonly pack: Pack;
  /** Larger files are not kept before they are overwritten or removed. */
  readonly maxFileBytes: number;
  /** What tools may write now: nothing else is touched. */
  readonly scopes: readonly Scope[];
  /** Where private copies of workspaces were, which are gone when no scope has them. */
  readonly copies?: string | undefined;
  /** Reads contents that are not in the pack, by their names; the paths say which repository has them. */
  readonly fetch: (contents: ReadonlyMap<string, string>) => Promise<FetchedContents>;
  /** The message of an entry, for people. */
  readonly textOf: (entryId: string) => string;
  /** The entries from the first of the session to one, it among them. */
  readonly pathTo: (entryId: string) => readonly SessionEntry[];
  readonly now: () => number;
}

/** Contents that were read; disposed of at the end of an undo. */
export interface FetchedContents extends Partial<Disposable> {
  readonly get: (content: string) => Uint8Array<ArrayBuffer> | undefined;
}

/** The moments that files can be brought back to, the oldest first. */
export function undoPoints(
  { journal, textOf }: Pick<UndoParts, "textOf"> & { readonly journal: Pick<JournalFile, "records"> },
): readonly UndoPoint[] {
  return momentsOf(journal.records).map((moment, index) => pointOf(moment, index, textOf));
}

/** Puts files back, or says what it would do. Throws UserError where there is no such point. */
export async function undo(parts: UndoParts, request: UndoRequest): Promise<{
  readonly outcome: UndoOutcome;
  /** What was done; absent where nothing was. */
  readonly changes?: ChangeSet;
  readonly done: readonly Change[];
}> {
  const { point, position } = pointFor(parts, request);
  const wanted = wantedBefore(parts.journal.records, position);
  const byName = new Map<string, string>();
  for (const [path, { want }] of wanted) {
    if (holds(want) && want.content?.startsWith("git:")) byName.set(want.content, path);
  }
  const fetched = byName.size === 0 ? undefined : await parts.fetch(byName);
  try {
    return putBack(parts, request, { point, position, wanted, fetched });
  } finally {
    fetched?.[Symbol.dispose]?.();
  }
}

function putBack(
  { journal, pack, root, ...parts }: UndoParts,
  request: UndoRequest,
  { point, position, wanted, fetched }: {
    readonly point: UndoPoint;
    readonly position: number;
    readonly wanted: ReadonlyMap<string, Wanted>;
    readonly fetched: FetchedContents | undefined;
  },
): Awaited<ReturnType<typeof undo>> {
  const disk: UndoDisk = {
    at: (path) => placeIn(parts, path),
    content(content) {
      if (!content.startsWith("sha256:")) return fetched?.get(content);
      const number = pack.find(content.slice(7));
      return number === undefined ? undefined : pack.read(number);
    },
    keep(bytes) {
      const number = pack.add(bytes);
      return number === undefined ? undefined : `sha256:${pack.digest(number)}`;
    },
    maxFileBytes: parts.maxFileBytes,
    shown: (path) => shownIn(root, path),
    begins(paths, opened) {
      if (paths.length === 0) return;
      pack.flush();
      journal.add({ type: "undoing", time: new Date(parts.now()).toISOString(), paths, opened });
    },
  };
  const interrupted = interruptedUndo(journal.records);
  if (!request.dryRun) closeFolders(interrupted?.opened ?? [], disk);
  const plan = planUndo(wanted, disk, request.force === true, interrupted?.paths);
  const work = { ...plan, left: [...plan.left, ...notRecorded(journal.records.slice(position), parts.scopes)] };
  if (request.dryRun) {
    const outcome = { point, steps: stepsOf(work.tasks, disk), left: work.left, isDone: false };
    return { outcome, done: [] };
  }
  const { changes, left, done } = runUndo(work, disk);
  const outcome = { point, steps: stepsOf(done, disk), left: [...work.left, ...left], isDone: true };
  // An interrupted undo may have taken all steps.
  if (changes.length === 0 && interrupted === undefined) return { outcome, done: [] };
  pack.flush();
  journal.add({ type: "undo", to: position, time: new Date(parts.now()).toISOString(), changes });
  return {
    outcome,
    changes: changeSet(changes, root, { of: "undo", calls: [], counted: [], leftOut: leftOut(outcome.left) }),
    done: changes,
  };
}

/** Gives directories their modes back that an interrupted undo made writable. */
function closeFolders(opened: readonly OpenedFolder[], disk: UndoDisk): void {
  for (const { path, mode } of opened.toReversed()) {
    const place = disk.at(path);
    if (typeof place === "string") continue;
    const now = place.tree.status(place.path)?.mode ?? 0;
    if (now >> 12 === KIND.folder && (now & 0o7777) === (mode | 0o700)) {
      attempt(() => place.tree.setMode(place.path, mode)); // It was replaced.
    }
  }
}

/** What is asked for, and the record that it stands before. */
function pointFor(
  parts: UndoParts,
  { to, at, redo }: UndoRequest,
): { readonly point: UndoPoint; readonly position: number } {
  const { records } = parts.journal;
  const moments = momentsOf(records);
  if (redo) {
    const index = moments.findIndex(({ position }) => position === redoPosition(records));
    const moment = moments[index];
    if (moment === undefined) throw nothingToRedo(moments);
    return { point: pointOf(moment, index, parts.textOf), position: moment.position };
  }
  if (at === undefined) {
    const index = indexOf(moments, to);
    const moment = moments[index];
    if (moment === undefined) throw noPoint(moments, to);
    return { point: pointOf(moment, index, parts.textOf), position: moment.position };
  }
  const position = positionAt(records, parts.pathTo(at)) ?? records.length;
  const index = moments.findLastIndex((moment) => moment.position <= position);
  const near = moments[index];
  const time = near?.time ?? new Date(parts.now()).toISOString();
  const text = oneLine(parts.textOf(at)) || "another place of the session";
  return { point: { number: index + 1, kind: "prompt", entryId: at, text, time, files: 0, isUndone: false }, position };
}

function leftOut(left: readonly UndoLeft[]): ChangeSet["leftOut"] {
  const by = Map.groupBy(left, ({ why }) => why);
  return [...by].map(([why, list]) => ({
    why: `left as it is: ${why}`,
    count: list.length,
    paths: list.slice(0, 10).map(({ path }) => path),
  }));
}

/** What calls did from some records on that the journal could not record. */
function notRecorded(records: readonly JournalRecord[], scopes: readonly Scope[]): readonly UndoLeft[] {
  const left = new Map<string, UndoLeft>();
  const add = (path: string, why: string): unknown => left.set(`${path}\0${why}`, { path, why, isForcible: false });
  for (const record of records) {
    if (record.type !== "look" || record.of !== "calls") continue;
    for (const { path, kind } of record.counted ?? []) {
      const isThere = scopes.some(({ tree }) => kindAt(tree, bytePath(path)) === KIND.folder);
      if (kind === "deleted" && !isThere) add(path, "it is an ignored directory, which is not scanned");
    }
    for (const { why, paths = [] } of record.leftOut ?? []) {
      for (const path of paths.length > 0 ? paths : ["."]) add(path, why);
    }
  }
  return [...left.values()];
}

const COPY_IS_GONE =
  "it was in the private copy of a trial, which is removed: the workspace's own was not changed there; " +
  "what apply brought into it is taken back with git apply -R";

/** The scope that a path lies in; a sentence where tools may not write there. */
function placeIn(
  { scopes, copies }: Pick<UndoParts, "scopes" | "copies">,
  path: string,
): ReturnType<UndoDisk["at"]> {
  for (const { tree, isKept } of scopes) {
    const root = bytePath(tree.root);
    if (path === root || !isInside(path, root)) continue;
    const inner = path.slice(root === "/" ? 1 : root.length + 1);
    const parts = inner.split("/");
    if (parts.includes("..") || parts.includes(".")) break;
    if (parts.some((part) => part.toLowerCase() === ".git")) return "it is git's own";
    const isFree = parts.every((_, at) => isKept(parts.slice(0, at + 1).join("/")));
    return isFree ? { tree, path: inner } : "it is protected";
  }
  return copies !== undefined && isInside(path, bytePath(copies))
    ? COPY_IS_GONE
    : "it lies outside of what tools may write";
}

function pointOf(moment: Moment, index: number, textOf: UndoParts["textOf"]): UndoPoint {
  const { kind, entryId, time, files, outside, isUndone } = moment;
  return {
    number: index + 1,
    kind,
    ...(entryId === undefined ? {} : { entryId }),
    text: entryId === undefined ? "files were put back" : oneLine(textOf(entryId)),
    time,
    files,
    ...(outside > 0 ? { outside } : {}),
    isUndone,
  };
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}

function indexOf(moments: readonly Moment[], to: UndoRequest["to"]): number {
  if (to === undefined) return moments.findLastIndex(({ kind, isUndone }) => kind === "prompt" && !isUndone);
  return typeof to === "number" ? to - 1 : moments.findIndex(({ entryId }) => entryId === to);
}

function nothingToRedo(moments: readonly Moment[]): UserError {
  const isUndone = moments.some(({ kind }) => kind === "undo");
  return new UserError({
    what: "There is nothing to redo",
    why: isUndone ? "each undo was taken back, or files were changed by calls after it" : "nothing was undone",
    fix: isUndone
      ? "See what there is, each undo among it: sandpiper undo --list; --to N goes to any of them"
      : "sandpiper undo, or /undo in the screen, puts files back; redo takes that back",
  });
}

function noPoint(moments: readonly Moment[], to: UndoRequest["to"]): UserError {
  if (to === undefined) {
    return new UserError({
      what: "There is nothing to undo",
      why: moments.length === 0 ? "no changes of this session were kept" : "everything is undone already",
      fix: moments.length === 0
        ? "Name another session: sandpiper undo ID; sandpiper sessions lists them"
        : "See what there is, undone things too: sandpiper undo --list; --to N goes to any of them",
    });
  }
  return new UserError({
    what: `Cannot go back to ${JSON.stringify(to)}`,
    why: moments.length === 0 ? "no changes of this session were kept" : `there are points 1 to ${moments.length}`,
    fix: "Take one from sandpiper undo --list",
  });
}
