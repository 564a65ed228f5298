import type { ChangingCall, CountedFolder, LeftOut } from "../core/changes.ts";
import { attempt, ifThere } from "../core/support/attempt.ts";
import { type Change, holds, type State } from "./states.ts";

/** One line of a journal, in order of time. */
export type JournalRecord =
  /** A message of the user; what comes after it came of it. */
  | { readonly type: "prompt"; readonly entryId: string; readonly time: string }
  /** A call begins. `isUnknown`: no baseline has the state before it, so only this process can find out what it changed. */
  | {
    readonly type: "begin";
    readonly call: ChangingCall;
    readonly time: string;
    /** What it starts goes on after it. */
    readonly isBackground?: boolean;
    readonly isUnknown?: true;
  }
  | {
    readonly type: "look";
    readonly of: "calls" | "outside";
    readonly calls: readonly ChangingCall[];
    readonly time: string;
    readonly changes: readonly Change[];
    readonly counted?: readonly CountedFolder[];
    readonly leftOut?: readonly LeftOut[];
  }
  /** Undo begins to change these paths. Without a record `undo` after it, it was interrupted. */
  | {
    readonly type: "undoing";
    readonly time: string;
    readonly paths: readonly string[];
    /** Directories that undo makes writable meanwhile, and their permission bits before. */
    readonly opened: readonly OpenedFolder[];
  }
  /** Files were put back to what they were before the record with the number `to`. */
  | { readonly type: "undo"; readonly to: number; readonly time: string; readonly changes: readonly Change[] };

/** A directory and its permission bits, by absolute path. */
export interface OpenedFolder {
  readonly path: string;
  readonly mode: number;
}

/** The first line. */
export interface JournalHead {
  readonly type: "journal";
  readonly version: 1;
  readonly session: string;
  /** The workspace. */
  readonly root: string;
}

/** A journal that was read. */
export interface LoadedJournal {
  readonly head: JournalHead;
  readonly records: readonly JournalRecord[];
  /** Bytes up to the end of the last whole line. */
  readonly wholeBytes: number;
  /** What was dropped, for people. */
  readonly notices: readonly string[];
}

/** Reads a journal; undefined where there is none. A last line that was torn off is dropped and told. */
export function loadJournal(path: string): LoadedJournal | undefined {
  const bytes = ifThere(() => Deno.readFileSync(path));
  if (bytes === undefined) return undefined;
  const wholeBytes = bytes.lastIndexOf(10) + 1;
  const notices: string[] = [];
  if (wholeBytes < bytes.length) {
    notices.push("The last record of the journal of changes was cut off and is dropped");
  }
  const lines = new TextDecoder().decode(bytes.subarray(0, wholeBytes)).split("\n").slice(0, -1);
  const parsed: readonly unknown[] = lines.map((line) => attempt(() => JSON.parse(line)));
  const head = parsed[0] as JournalHead | undefined; // as it was written; nobody else can write there
  if (head?.type !== "journal" || head.version !== 1) return undefined;
  const records = parsed.slice(1).filter((record) => record !== undefined) as JournalRecord[];
  if (records.length < parsed.length - 1) {
    notices.push(`${parsed.length - 1 - records.length} records of the journal of changes cannot be read`);
  }
  return { head, records, wholeBytes, notices };
}

/** The changes of a record, if it is of a kind that has some. */
export function changesOf(record: JournalRecord): readonly Change[] {
  return record.type === "look" || record.type === "undo" ? record.changes : [];
}

/** The last state of each path that records have, by absolute path. */
export function lastStates(records: readonly JournalRecord[]): ReadonlyMap<string, State> {
  return new Map(records.flatMap(changesOf).map(({ path, after }) => [path, after]));
}

/** Digests of all contents that records name. */
export function contentsOf(records: readonly JournalRecord[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const record of records) {
    for (const { before, after } of changesOf(record)) {
      for (const state of [before, after]) {
        if (holds(state) && state.content?.startsWith("sha256:")) found.add(state.content.slice(7));
      }
    }
  }
  return found;
}

/** A journal that is open for adding records. */
export interface JournalFile {
  readonly records: readonly JournalRecord[];
  readonly notices: readonly string[];
  /** Throws what the system throws. */
  readonly add: (record: JournalRecord) => void;
  readonly close: () => void;
}

/** Opens a journal to go on with it; its file is made with the first record. */
export function openJournalFile(path: string, head: Omit<JournalHead, "type" | "version">): JournalFile {
  const loaded = loadJournal(path);
  const records = [...loaded?.records ?? []];
  let file: Deno.FsFile | undefined;
  const write = (value: unknown): void => {
    const bytes = new TextEncoder().encode(JSON.stringify(value) + "\n");
    for (let total = 0; total < bytes.length;) total += (file as Deno.FsFile).writeSync(bytes.subarray(total));
  };
  return {
    records,
    notices: loaded?.notices ?? [],
    add(record) {
      if (file === undefined) {
        file = Deno.openSync(path, { write: true, append: true, create: true, mode: 0o600 });
        file.truncateSync(loaded?.wholeBytes ?? 0);
        if (loaded === undefined) write({ type: "journal", version: 1, ...head });
      }
      write(record);
      records.push(record);
    },
    close() {
      file?.close();
      file = undefined;
    },
  };
}
