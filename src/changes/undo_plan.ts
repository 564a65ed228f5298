import type { JournalRecord, OpenedFolder } from "./journal_file.ts";
import type { SessionEntry } from "../core/session.ts";
import type { Change, State } from "./states.ts";

/** What a path should be again, and what it is if nobody else touched it. */
export interface Wanted {
  readonly want: State;
  readonly expect: State;
  /** Whether somebody else changed it after the session did. */
  readonly isForeign: boolean;
}

/** What every path that the session changed from a record on was before that record, by absolute path. Pure. */
export function wantedBefore(records: readonly JournalRecord[], position: number): ReadonlyMap<string, Wanted> {
  const wanted = new Map<string, Wanted & { readonly isOwn: boolean }>();
  for (const record of records.slice(position)) {
    if (record.type !== "look" && record.type !== "undo") continue;
    const isOwn = record.type === "undo" || record.of === "calls";
    for (const { path, before, after } of record.changes) {
      const known = wanted.get(path);
      wanted.set(path, {
        // What somebody else did before the session came is as it should be.
        want: known === undefined || !known.isOwn ? before : known.want,
        expect: after,
        isForeign: known?.isOwn === true && (known.isForeign || !isOwn),
        isOwn: known?.isOwn === true || isOwn,
      });
    }
  }
  for (const [path, { isOwn }] of wanted) if (!isOwn) wanted.delete(path);
  return wanted;
}

/**
 * The record before which the files were as they were at the end of a path of entries; undefined where no record tells. A
 * message of the user stands for the moment before it, a result for the look after its call. Pure.
 */
export function positionAt(records: readonly JournalRecord[], path: readonly SessionEntry[]): number | undefined {
  for (const entry of path.toReversed()) {
    if (entry.type !== "message") continue;
    const { message } = entry;
    if (message.role === "user") {
      const prompt = records.findIndex((record) => record.type === "prompt" && record.entryId === entry.id);
      if (prompt >= 0) return prompt;
    }
    if (message.role !== "toolResult") continue;
    const look = records.findIndex((record) =>
      record.type === "look" && record.calls.some(({ toolCallId }) => toolCallId === message.toolCallId)
    );
    if (look >= 0) return look + 1;
  }
  return undefined;
}

/** What an interrupted undo was to change. */
export interface Interrupted {
  readonly paths: ReadonlySet<string>;
  readonly opened: readonly OpenedFolder[];
}

/** What undo was changing when it was interrupted; undefined if the last one came to its end. Pure. */
export function interruptedUndo(records: readonly JournalRecord[]): Interrupted | undefined {
  const last = records.findLastIndex(({ type }) => type === "undo");
  const begun = records.slice(last + 1).flatMap((record) => record.type === "undoing" ? [record] : []);
  if (begun.length === 0) return undefined;
  return {
    paths: new Set(begun.flatMap(({ paths }) => paths)),
    opened: begun.flatMap(({ opened }) => opened),
  };
}

/** A moment to go back to. */
export interface Moment {
  /** Number of its record: what came from there on is undone. */
  readonly position: number;
  readonly kind: "prompt" | "undo";
  readonly entryId?: string;
  readonly time: string;
  /** Paths that the session changed from here to the next moment. */
  readonly files: number;
  /** Paths that somebody else did. */
  readonly outside: number;
  readonly isUndone: boolean;
}

/** All moments of a journal, the oldest first. Pure. */
export function momentsOf(records: readonly JournalRecord[]): readonly Moment[] {
  const moments: { -readonly [K in keyof Moment]: Moment[K] }[] = [];
  /** Prompts that are not undone, before each undo. */
  const before = new Map<number, readonly number[]>();
  let live: readonly number[] = [];
  let paths = new Set<string>();
  let outside = new Set<string>();
  for (const [position, record] of records.entries()) {
    if (record.type === "begin" || record.type === "undoing") continue;
    if (record.type === "look") {
      const seen = record.of === "calls" ? paths : outside;
      for (const change of record.changes) if (isFile(change)) seen.add(change.path);
      const last = moments.at(-1);
      if (last !== undefined) [last.files, last.outside] = [paths.size, outside.size];
      continue;
    }
    const { time } = record;
    [paths, outside] = [new Set(), new Set()];
    if (record.type === "prompt") {
      moments.push({ position, kind: "prompt", entryId: record.entryId, time, files: 0, outside: 0, isUndone: false });
      live = [...live, position];
    } else {
      const files = record.changes.filter(isFile).length;
      moments.push({ position, kind: "undo", time, files, outside: 0, isUndone: false });
      before.set(position, live);
      live = before.get(record.to) ?? live.filter((prompt) => prompt < record.to);
    }
  }
  for (const moment of moments) moment.isUndone = moment.kind === "prompt" && !live.includes(moment.position);
  return moments;
}

/**
 * The undo to go back before in order to have again what was undone last; undefined where there is none, or where calls have
 * changed files since: to go back would take those away, too. Pure.
 */
export function redoPosition(records: readonly JournalRecord[]): number | undefined {
  let undone: readonly number[] = [];
  for (const [position, record] of records.entries()) {
    if (record.type === "undo") {
      const isRedo = records[record.to]?.type === "undo";
      undone = isRedo ? undone.filter((one) => one < record.to) : [...undone, position];
    } else if (record.type === "look" && record.of === "calls") undone = [];
  }
  return undone.at(-1);
}

function isFile({ before, after }: Change): boolean {
  return (after.kind === "absent" ? before : after).kind !== "folder";
}
