import type { JournalRecord } from "./journal_file.ts";
import type { State } from "./states.ts";

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
    if (record.type === "prompt") continue;
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

/** A moment to go back to. */
export interface Moment {
  /** Number of its record: what came from there on is undone. */
  readonly position: number;
  readonly kind: "prompt" | "undo";
  readonly entryId?: string;
  readonly time: string;
  /** Paths that the session changed from here to the next moment. */
  readonly files: number;
  readonly isUndone: boolean;
}

/** All moments of a journal, the oldest first. Pure. */
export function momentsOf(records: readonly JournalRecord[]): readonly Moment[] {
  const moments: { -readonly [K in keyof Moment]: Moment[K] }[] = [];
  /** Prompts that are not undone, before each undo. */
  const before = new Map<number, readonly number[]>();
  let live: readonly number[] = [];
  let paths = new Set<string>();
  for (const [position, record] of records.entries()) {
    if (record.type === "look") {
      if (record.of === "calls") {
        for (const { path, after } of record.changes) if (after.kind !== "folder") paths.add(path);
      }
      const last = moments.at(-1);
      if (last !== undefined) last.files = paths.size;
      continue;
    }
    const { time } = record;
    paths = new Set();
    if (record.type === "prompt") {
      moments.push({ position, kind: "prompt", entryId: record.entryId, time, files: 0, isUndone: false });
      live = [...live, position];
    } else {
      const files = record.changes.filter(({ after }) => after.kind !== "folder").length;
      moments.push({ position, kind: "undo", time, files, isUndone: false });
      before.set(position, live);
      live = before.get(record.to) ?? live.filter((prompt) => prompt < record.to);
    }
  }
  for (const moment of moments) moment.isUndone = moment.kind === "prompt" && !live.includes(moment.position);
  return moments;
}
