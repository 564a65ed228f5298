import { attempt } from "../core/support/attempt.ts";
import { counted } from "../core/support/text.ts";
import type { SessionEntry, SessionHeader } from "../core/session.ts";
import { readEntry } from "./entry_shape.ts";
import { explain, readHeader } from "./header.ts";
import { type Fields, isObject, isText, parseObject } from "./shape.ts";

/** What a session is when it is opened. */
export interface Beginning {
  readonly header: SessionHeader;
  /** In the order of the file; a parent always comes before its children. From here on the store's own. */
  readonly entries: SessionEntry[];
  readonly byId: Map<string, SessionEntry>;
  /** The latest time among them, milliseconds. */
  readonly lastTime: number;
}

/** What a session file holds; the file was not changed. */
export interface LoadedSession extends Beginning {
  /** Of the entry shapes in the file; those in `entries` are always of format 3. */
  readonly version: 1 | 2 | 3;
  /** What was left out or mended, one sentence each. */
  readonly notices: readonly string[];
  /** Bytes of the file. */
  readonly size: number;
  /** Bytes up to the end of the last whole entry: what comes after was cut off while it was written. */
  readonly wholeBytes: number;
}

/**
 * Reads a session file as far as it can be read (R332).
 *
 * A torn last line and lines that are no entries are left out, entries of unknown types are kept in the tree. Throws
 * `UserError` for a file that is no session. Never writes.
 */
export function loadSession(path: string): LoadedSession {
  const { header, version } = readHeader(path);
  const reader = createReader(header, version);
  let isFirst = true;
  const onLine = (line: string | undefined): void => {
    if (isFirst) isFirst = false;
    else reader.take(line);
  };
  let read: LinesRead;
  try {
    read = readLines(path, onLine);
  } catch (error) {
    throw explain(error, path);
  }
  // A header without a newline is the whole file, and was read above.
  const isWhole = read.tailBytes === 0 || isFirst || (read.tail !== undefined && reader.takeTail(read.tail));
  return { ...reader.finish(isWhole), size: read.size, wholeBytes: read.size - (isWhole ? 0 : read.tailBytes) };
}

interface EntryReader {
  /** Takes a line; one that is no entry is counted and left out. */
  take(line: string | undefined): void;
  /** Takes a line without its newline, if it is an entry. */
  takeTail(line: string): boolean;
  finish(isWhole: boolean): Omit<LoadedSession, "size" | "wholeBytes">;
}

function createReader(header: SessionHeader, version: 1 | 2 | 3): EntryReader {
  const migrate = createMigration(version);
  const entries: SessionEntry[] = [];
  const byId = new Map<string, SessionEntry>();
  const counts = { malformed: 0, damaged: 0, orphaned: 0 };
  let lastTime = Date.parse(header.timestamp);

  function add(line: string): boolean {
    const fields = parseObject(line);
    if (fields === undefined) return false;
    if (version < 3) migrate(fields);
    const { id, type } = fields;
    if (!isText(id) || id === "" || !isText(type) || byId.has(id)) return false;
    placeInTree(fields);
    const { entry, isDamaged } = readEntry(fields, placeInTime(fields));
    if (isDamaged) counts.damaged++;
    entries.push(entry);
    byId.set(id, entry);
    return true;
  }

  /** What followed a line that is lost follows the one before it: that is what nearly always was the case. */
  function placeInTree(fields: Fields): void {
    const { parentId } = fields;
    if (parentId === null || (isText(parentId) && byId.has(parentId))) return;
    fields["parentId"] = entries.at(-1)?.id ?? null;
    counts.orphaned++;
  }

  /** Gives its time in milliseconds. */
  function placeInTime(fields: Fields): number {
    const time = isText(fields["timestamp"]) ? Date.parse(fields["timestamp"]) : NaN;
    if (Number.isFinite(time)) lastTime = Math.max(lastTime, time);
    else fields["timestamp"] = new Date(lastTime).toISOString();
    return Number.isFinite(time) ? time : lastTime;
  }

  return {
    take(line) {
      if (line === undefined || (!add(line) && line.trim() !== "")) counts.malformed++;
    },
    takeTail: add,
    finish: (isWhole) => ({ header, version, entries, byId, lastTime, notices: noticesOf(counts, isWhole) }),
  };
}

function noticesOf(
  { malformed, damaged, orphaned }: Readonly<Record<"malformed" | "damaged" | "orphaned", number>>,
  isWhole: boolean,
): string[] {
  const notices: string[] = [];
  if (!isWhole) notices.push("The last line of the session was cut off while it was written; it is left out");
  if (malformed > 0) notices.push(`${counted(malformed, "line")} of the session cannot be read; left out`);
  if (damaged > 0) notices.push(`${counted(damaged, "line")} of the session lack what their kind must have; left out`);
  if (orphaned > 0) {
    notices.push(`${counted(orphaned, "line")} of the session follow a line that is lost; put after the one before`);
  }
  return notices;
}

/**
 * Brings entries of formats 1 and 2, one after the other in the order of the file, into the shape of format 3, in place.
 *
 * Format 1 was a list: entries had no ids, and a compaction named the first kept one by its line, the header being line
 * 0. Ids are made from the line's number, so that every reading of a file gives the same ones. Up to format 2 the
 * messages of extensions had another role.
 */
function createMigration(version: 1 | 2 | 3): (entry: Fields) => void {
  let line = 0;
  return (entry) => {
    line++;
    if (version === 1) {
      entry["id"] = idOfLine(line);
      entry["parentId"] = line === 1 ? null : idOfLine(line - 1);
      const kept = entry["firstKeptEntryIndex"];
      if (typeof kept === "number" && kept >= 1) entry["firstKeptEntryId"] = idOfLine(kept);
      delete entry["firstKeptEntryIndex"];
    }
    const { message } = entry;
    if (version < 3 && isObject(message) && message["role"] === "hookMessage") message["role"] = "custom";
  };
}

function idOfLine(line: number): string {
  return line.toString(16).padStart(8, "0");
}

// A session file may have a hundred thousand lines, or one of fifty megabytes: it is read piece by piece.

/** Bytes read at a time. */
const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 10;

/** What a file had besides its whole lines. */
export interface LinesRead {
  /** Bytes of the file. */
  readonly size: number;
  /** Bytes after the last newline; 0 in a file that ends with one. */
  readonly tailBytes: number;
  /** Text of those bytes; undefined when there are none or they are not UTF-8. */
  readonly tail: string | undefined;
}

/** Calls `onLine` for each line that ends with a newline; undefined stands for a line that is not UTF-8. */
export function readLines(path: string, onLine: (line: string | undefined) => void): LinesRead {
  using file = Deno.openSync(path, { read: true });
  let buffer = new Uint8Array(CHUNK_BYTES);
  let filled = 0;
  let size = 0;
  for (;;) {
    if (filled === buffer.length) {
      const larger = new Uint8Array(buffer.length * 2);
      larger.set(buffer);
      buffer = larger;
    }
    const count = file.readSync(buffer.subarray(filled));
    if (count === null) break;
    size += count;
    const end = buffer.subarray(filled, filled + count).lastIndexOf(NEWLINE);
    const whole = end < 0 ? 0 : filled + end + 1;
    filled += count;
    if (whole === 0) continue;
    giveLines(buffer.subarray(0, whole), onLine);
    buffer.copyWithin(0, whole, filled);
    filled -= whole;
  }
  return { size, tailBytes: filled, tail: filled === 0 ? undefined : decode(buffer.subarray(0, filled)) };
}

/** `bytes` ends with a newline. */
function giveLines(bytes: Uint8Array, onLine: (line: string | undefined) => void): void {
  const text = decode(bytes);
  if (text !== undefined) {
    for (let start = 0, end = text.indexOf("\n"); end >= 0; start = end + 1, end = text.indexOf("\n", start)) {
      onLine(text.slice(start, end));
    }
    return;
  }
  for (let start = 0, end = bytes.indexOf(NEWLINE); end >= 0; start = end + 1, end = bytes.indexOf(NEWLINE, start)) {
    onLine(decode(bytes.subarray(start, end)));
  }
}

function decode(bytes: Uint8Array): string | undefined {
  // Not UTF-8, or longer than a string can be.
  return attempt(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes));
}
