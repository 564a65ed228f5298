import type { ChangeKind, ChangeSet, ChangingCall, CountedFolder, FileChange, LeftOut } from "../core/changes.ts";
import { type Change, holds, isSameState, shownIn, type State, thingOf, whyLost } from "./states.ts";

/** What a look came to, besides the files. */
export interface ChangeFacts {
  readonly of: ChangeSet["of"];
  readonly calls: readonly ChangingCall[];
  readonly counted: readonly CountedFolder[];
  readonly leftOut: readonly LeftOut[];
}

/** What changed, as people and programs are told it. Pure. `root`: the workspace. */
export function changeSet(changes: readonly Change[], root: string, facts: ChangeFacts): ChangeSet {
  const moves = movesIn(changes);
  const sources = new Set(moves.values());
  const files: FileChange[] = [];
  for (const change of changes) {
    if (sources.has(change)) continue;
    const file = fileChange(change, root, moves.get(change));
    if (file !== undefined) files.push(file);
  }
  // A folder stands for itself only where nothing in it tells of it. Paths are relative in the workspace.
  const told = files.filter(({ thing }) => thing !== "folder").map(({ path }) => path);
  const from = files.flatMap((file) => file.from ?? []);
  const kept = files.filter(({ path, thing, kind }) =>
    thing !== "folder" || kind === "mode" || ![...told, ...from].some((other) => other.startsWith(`${path}/`))
  );
  const sum = (count: (file: FileChange) => number | undefined): number =>
    kept.reduce((total, file) => total + (count(file) ?? 0), 0);
  return {
    of: facts.of,
    calls: facts.calls,
    files: kept.sort((a, b) => a.path < b.path ? -1 : 1),
    linesAdded: sum(({ linesAdded }) => linesAdded),
    linesRemoved: sum(({ linesRemoved }) => linesRemoved),
    counted: facts.counted,
    leftOut: facts.leftOut,
  };
}

/** What happened to one path; undefined where it is as it was. */
export function kindOf({ before, after }: Pick<Change, "before" | "after">): ChangeKind | undefined {
  if (before.kind === "unknown") {
    return after.kind === "unknown" ? undefined : after.kind === "absent" ? "deleted" : "changed";
  }
  if (before.kind === "absent") return after.kind === "absent" ? undefined : "created";
  if (after.kind === "absent") return "deleted";
  if (before.kind !== after.kind) return "changed";
  if (isSameState({ ...before, mode: 0 }, { ...after, mode: 0 }) !== true) return "changed";
  return before.mode === after.mode || before.kind === "link" ? undefined : "mode";
}

function fileChange(change: Change, root: string, source: Change | undefined): FileChange | undefined {
  const { path, after, lines, isBinary } = change;
  const before = source?.before ?? change.before;
  const kind = source ? "moved" : kindOf(change);
  const thing = thingOf(after) ?? thingOf(before);
  if (kind === undefined || thing === undefined) return undefined;
  const [sizeBefore, sizeAfter] = [before, after].map((state) => holds(state) ? state.size : undefined);
  const [modeBefore, modeAfter] = [modeOf(before), modeOf(after)];
  const notRestorable = kind === "created" || kind === "mode" ? undefined : whyLost(before);
  const isOtherMode = modeBefore !== undefined && modeAfter !== undefined && modeBefore !== modeAfter;
  return {
    path: shownIn(root, path),
    kind,
    thing,
    ...(source ? { from: shownIn(root, source.path) } : {}),
    ...(sizeBefore === undefined ? {} : { sizeBefore }),
    ...(sizeAfter === undefined ? {} : { sizeAfter }),
    ...(lines ? { linesAdded: lines.added, linesRemoved: lines.removed } : {}),
    ...(isBinary ? { isBinary } : {}),
    ...(isOtherMode ? { modeBefore, modeAfter } : {}),
    ...(notRestorable === undefined ? {} : { notRestorable }),
  };
}

/** What was moved, by where it is now: same inode, size and time of its last change, for the system gives numbers again. */
function movesIn(changes: readonly Change[]): ReadonlyMap<Change, Change> {
  const gone = new Map<string, Change>();
  for (const change of changes) {
    const key = moveKey(change.before);
    if (key !== undefined && change.after.kind === "absent") gone.set(key, change);
  }
  const moves = new Map<Change, Change>();
  for (const change of changes) {
    const key = moveKey(change.after);
    const source = key !== undefined && change.before.kind === "absent" ? gone.get(key) : undefined;
    if (key === undefined || source === undefined) continue;
    gone.delete(key);
    moves.set(change, source);
  }
  return moves;
}

function moveKey(state: State): string | undefined {
  if (!holds(state)) return undefined;
  return `${state.kind}:${state.stamp.slice(0, state.stamp.lastIndexOf(":"))}`;
}

function modeOf(state: State): number | undefined {
  return state.kind === "file" || state.kind === "folder" ? state.mode : undefined;
}
