// What is known of every file below a folder: packed records, folder by folder. A look compares them with what is there and
// puts the new ones in their place, in steps, so that whoever steps it can do something else in between. One file above the
// usual length: all of it counts on one layout of bytes.
import {
  below,
  emptyRecords,
  KIND,
  lengthIn,
  modeIn,
  nameIn,
  RECORD,
  type Records,
  type Tree,
  wordsOf,
} from "../core/support/tree.ts";
import { type IgnoreLevel, levelOf, skips } from "../core/support/ignored.ts";

/** A folder that was looked into. */
export interface Folder {
  readonly name: string;
  readonly parent: Folder | undefined;
  /** Records; a view of their words for each folder would be a tenth of all that is held. */
  bytes: Uint8Array<ArrayBuffer>;
  /** By the order of their records. */
  inner: readonly Folder[];
  /** Whether what was in it before is known: else what a look finds in it is taken as it is. */
  isKnown: boolean;
  /** When it was read last, and whether a file in it was changed so shortly before that another change may show the same times. */
  lookedMs: number;
  isFresh: boolean;
}

/** A record in its folder. */
export interface Place {
  readonly folder: Folder;
  readonly at: number;
}

/** What a look found at one path: where its record is now and what the record was. */
export interface Found {
  /** Relative to the root of the tree. */
  readonly path: string;
  readonly before: Records | undefined;
  readonly after: Place | undefined;
  /** Whether it is a folder that is not looked into. */
  readonly isIgnored: boolean;
}

/** How much is looked at. */
export interface LookLimits {
  readonly depth: number;
  /** Files, links and folders. */
  readonly entries: number;
}

/** What one look came to, besides what it found. */
export interface LookSums {
  entries: number;
  ignored: number;
  /** Folders that were too deep, too many, or could not be listed. */
  readonly unseen: string[];
  /** Files of a first look whose names begin as those of temporary files do. */
  readonly temporary: string[];
}

/** ".san" as a word. */
const TEMPORARY = 0x6e61732e;

/** Bytes of records that are read before somebody else may have a turn: some two thousand files. */
const STEP_BYTES = 128 * 1024;
/** Bytes of one with the longest name. */
const LONGEST_RECORD = 40 + 256;
const scratch = emptyRecords(2 * STEP_BYTES);

/** The table of a tree that was never looked at. */
export function emptyTable(): Folder {
  return emptyFolder("", undefined, false);
}

const NO_BYTES = new Uint8Array(0);
const NO_FOLDERS: readonly Folder[] = [];

/** Memory that the records of many folders share: one of its own for each takes as long as to look at two files. */
interface Room {
  bytes: Uint8Array<ArrayBuffer>;
  used: number;
}

const ROOM_BYTES = 64 * 1024;

/** A copy of records in a room, or in a new one where there is no place. */
function keptIn(room: Room, { bytes, length }: Records): Uint8Array<ArrayBuffer> {
  if (length > room.bytes.length - room.used) {
    if (length > ROOM_BYTES / 4) return bytes.slice(0, length);
    [room.bytes, room.used] = [new Uint8Array(ROOM_BYTES), 0];
  }
  const at = room.used;
  room.bytes.set(bytes.subarray(0, length), at);
  room.used += length;
  return new Uint8Array(room.bytes.buffer, at, length);
}

function emptyFolder(name: string, parent: Folder | undefined, isKnown: boolean): Folder {
  return { name, parent, bytes: NO_BYTES, inner: NO_FOLDERS, isKnown, lookedMs: NaN, isFresh: false };
}

/** The path of a folder, relative to the tree's root. */
function pathOf(folder: Folder): string {
  if (folder.parent === undefined) return "";
  return below(pathOf(folder.parent), folder.name);
}

/** The path of a record. */
export function pathAt({ folder, at }: Place): string {
  return below(pathOf(folder), nameIn(folder.bytes, at));
}

/**
 * Looks at everything below a folder and tells what differs from the table, which it brings up to date. Each step yields
 * after a folder, or a part of a large one. `isKept`: whether a path may be looked at at all.
 */
export function* look(
  tree: Tree,
  top: Folder,
  { limits, isKept, tell, sums, now, settleMs = 0 }: {
    readonly limits: LookLimits;
    readonly now: () => number;
    /** How long after the time of its last change a file may still be written with no other time. */
    readonly settleMs?: number;
    readonly isKept: (path: string) => boolean;
    readonly tell: (found: Found) => void;
    readonly sums: LookSums;
  },
): Generator<true, void> {
  const stack: { folder: Folder; path: string; depth: number; above: IgnoreLevel | undefined }[] = [
    { folder: top, path: "", depth: 0, above: undefined },
  ];
  const room: Room = { bytes: NO_BYTES, used: 0 };
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { folder, path, depth } = next;
    const scan = depth > limits.depth || sums.entries > limits.entries ? undefined : tree.scan(path);
    if (scan === undefined) {
      sums.unseen.push(path);
      continue;
    }
    scratch.length = 0;
    const atMs = now();
    // Others use the same memory between steps: a folder that is not read in one of them has its own.
    let into = scratch;
    try {
      while (scan.next(into)) {
        if (into.length < STEP_BYTES) continue;
        // All of one folder is in memory before any of it is counted.
        if (into.length > Math.max(0, limits.entries - sums.entries) * LONGEST_RECORD) throw new Error("too many");
        if (into === scratch) into = copyOf(scratch.bytes, 0, scratch.length);
        yield true;
      }
    } catch {
      sums.unseen.push(path);
      continue;
    } finally {
      scan.close();
    }
    const level = levelOf(tree, path, into, next.above);
    const times = { atMs, settleMs };
    const inner = !folder.isKnown && folder.bytes.length === 0
      ? takeFirst(folder, path, into, level, times, isKept, sums, room)
      : compare(folder, path, into, level, times, isKept, tell, sums);
    for (const one of inner) {
      stack.push({ folder: one, path: below(path, one.name), depth: depth + 1, above: level });
    }
    yield true;
  }
}

/** Puts what was read in the place of what was known; gives the folders in it. */
function compare(
  folder: Folder,
  path: string,
  read: Records,
  level: IgnoreLevel | undefined,
  { atMs, settleMs }: { readonly atMs: number; readonly settleMs: number },
  isKept: (path: string) => boolean,
  tell: (found: Found) => void,
  sums: LookSums,
): readonly Folder[] {
  const { bytes: old, isKnown, lookedMs, isFresh } = folder;
  const oldWords = wordsOf(old);
  const words = read.words;
  // Most folders are as they were: then one comparison of all words is all.
  if (isKnown && !isFresh && old.length === read.length) {
    const count = countSame(oldWords, words, read.length >> 2);
    sums.entries += Math.max(0, count);
    if (count >= 0) return folder.inner;
  }
  const known = new Map<string, number>();
  for (let at = 0; at < old.length; at += lengthIn(old, at)) known.set(nameIn(old, at), at);
  const innerOf = new Map(folder.inner.map((one) => [one.name, one]));
  const fresh = copyOf(read.bytes, 0, read.length);
  const inner: Folder[] = [];
  const gone = new Set(innerOf.keys());
  folder.bytes = fresh.bytes;
  folder.isKnown = true;
  folder.lookedMs = atMs;
  folder.isFresh = false;
  for (let at = 0; at < fresh.length; at += lengthIn(fresh.bytes, at)) {
    sums.entries++;
    const isFolder = modeIn(fresh.bytes, at) >> 12 === KIND.folder;
    const name = nameIn(fresh.bytes, at);
    const place = below(path, name);
    const was = known.get(name);
    known.delete(name);
    const wasFolder = innerOf.get(name);
    // What was looked into still is, and what was not is not, whatever new rules say: else all of it would come or go.
    const wasThere = was !== undefined && modeIn(old, was) >> 12 === KIND.folder &&
      isSameInode(oldWords, was >> 2, fresh.words, at >> 2);
    const isIgnored = isFolder && (wasThere ? wasFolder === undefined : skips(level, place, name));
    if (isIgnored) sums.ignored++;
    if (was !== undefined) {
      const note = oldWords[(was >> 2) + RECORD.note] ?? 0;
      const differs = isFolder && !isIgnored && modeIn(old, was) >> 12 === KIND.folder
        ? modeIn(old, was) !== modeIn(fresh.bytes, at)
        : !isSameRecord(oldWords, was >> 2, fresh.words, at >> 2);
      // Where another change may show the same times the content is compared, too: git's rule of racy entries.
      const mayDiffer = isFresh && !isFolder && isJustChanged(fresh.words, at, lookedMs, settleMs);
      if (!differs && !mayDiffer) fresh.words[(at >> 2) + RECORD.note] = note;
      else if (isKept(place)) {
        tell({ path: place, before: recordAt(old, was), after: { folder, at }, isIgnored });
      }
    } else if (isKnown && isKept(place)) {
      tell({ path: place, before: undefined, after: { folder, at }, isIgnored });
    }
    if (!isFolder && isJustChanged(fresh.words, at, atMs, settleMs)) folder.isFresh = true;
    if (!isFolder || isIgnored || !isKept(place)) continue;
    gone.delete(name);
    inner.push(wasFolder ?? emptyFolder(name, folder, isKnown));
  }
  for (const name of gone) forget(innerOf.get(name) as Folder, below(path, name), tell, isKept);
  for (const [name, was] of known) {
    const place = below(path, name);
    if (!isKept(place)) continue;
    const isIgnored = modeIn(old, was) >> 12 === KIND.folder && !innerOf.has(name);
    tell({ path: place, before: recordAt(old, was), after: undefined, isIgnored });
  }
  folder.inner = inner;
  return inner;
}

/**
 * Takes what is in a folder that nobody looked into: nothing is told, and only folders in it need their names. All files of a
 * first look come here, before V8 has compiled any of it: few steps for each, and nothing is allocated but what stays.
 */
function takeFirst(
  folder: Folder,
  path: string,
  read: Records,
  level: IgnoreLevel | undefined,
  { atMs, settleMs }: { readonly atMs: number; readonly settleMs: number },
  isKept: (path: string) => boolean,
  sums: LookSums,
  room: Room,
): readonly Folder[] {
  const { bytes, words, length } = read;
  const inner: Folder[] = [];
  // A second before any time that counts as late.
  const late = Math.floor((atMs - Math.max(settleMs, 1_000)) / 1_000);
  let [entries, isFresh] = [0, false];
  for (let next = 0; next < length; entries++) {
    const at = next;
    // Within the records, all of them.
    next += (bytes[at] as number) | (bytes[at + 1] as number) << 8;
    if ((bytes[at + 3] as number) >> 4 !== KIND.folder) {
      const changed = words[(at >> 2) + RECORD.changed] as number;
      if (changed >= late && !isFresh) isFresh = isJustChanged(words, at, atMs, settleMs);
      if (words[(at + RECORD.name) >> 2] === TEMPORARY) sums.temporary.push(below(path, nameIn(bytes, at)));
      continue;
    }
    const name = nameIn(bytes, at);
    const place = below(path, name);
    if (skips(level, place, name)) sums.ignored++;
    else if (isKept(place)) inner.push(emptyFolder(name, folder, false));
  }
  sums.entries += entries;
  folder.bytes = keptIn(room, read);
  folder.isKnown = true;
  folder.lookedMs = atMs;
  folder.isFresh = isFresh;
  return folder.inner = inner.length > 0 ? inner : NO_FOLDERS;
}

/** Tells of everything that was in a folder which is gone. */
function forget(folder: Folder, path: string, tell: (found: Found) => void, isKept: (path: string) => boolean): void {
  const inner = new Map(folder.inner.map((one) => [one.name, one]));
  for (let at = 0; at < folder.bytes.length; at += lengthIn(folder.bytes, at)) {
    const name = nameIn(folder.bytes, at);
    const place = below(path, name);
    if (!isKept(place)) continue;
    const isFolder = modeIn(folder.bytes, at) >> 12 === KIND.folder;
    const one = inner.get(name);
    if (one !== undefined) forget(one, place, tell, isKept);
    tell({
      path: place,
      before: recordAt(folder.bytes, at),
      after: undefined,
      isIgnored: isFolder && one === undefined,
    });
  }
}

/** All records of files and links, for whoever has something to note in them. A step a folder. */
export function* places(top: Folder): Generator<readonly Place[], void> {
  const stack = [top];
  for (let folder = stack.pop(); folder; folder = stack.pop()) {
    const list: Place[] = [];
    for (let at = 0; at < folder.bytes.length; at += lengthIn(folder.bytes, at)) list.push({ folder, at });
    yield list;
    stack.push(...folder.inner);
  }
}

/** The record of a path; undefined where the table has none. */
export function placeOf(top: Folder, path: string): Place | undefined {
  const parts = path.split("/");
  const name = parts.pop() ?? "";
  let folder: Folder | undefined = top;
  for (const part of parts) folder = folder?.inner.find((one) => one.name === part);
  if (folder === undefined) return undefined;
  for (let at = 0; at < folder.bytes.length; at += lengthIn(folder.bytes, at)) {
    if (nameIn(folder.bytes, at) === name) return { folder, at };
  }
  return undefined;
}

/** A record of its own. */
export function recordOf({ folder, at }: Place): Records {
  return recordAt(folder.bytes, at);
}

/** What was noted in a record. */
export function noteOf({ bytes }: Pick<Records, "bytes">, at = 0): number {
  return wordsOf(bytes)[(at >> 2) + RECORD.note] ?? 0;
}

/** Notes something in a record. */
export function setNote({ folder, at }: Place, note: number): void {
  wordsOf(folder.bytes)[(at >> 2) + RECORD.note] = note;
}

function recordAt(bytes: Uint8Array, at: number): Records {
  return copyOf(bytes, at, lengthIn(bytes, at));
}

function copyOf(bytes: Uint8Array, at: number, length: number): Records {
  const records = emptyRecords(length);
  records.bytes.set(bytes.subarray(at, at + length));
  records.length = length;
  return records;
}

/** How many records two lists of the same length have where they say the same, whatever is noted in them; else -1. */
function countSame(some: Uint32Array, others: Uint32Array, words: number): number {
  let count = 0;
  for (let word = 0; word < words; count++) {
    if (!isSameRecord(some, word, others, word)) return -1;
    word += ((some[word] ?? 0) & 0xffff) >> 2;
  }
  return count;
}

/** Clocks of file systems tick every ten milliseconds at the slowest, or count whole seconds. */
function isJustChanged(words: Uint32Array, at: number, nowMs: number, settleMs: number): boolean {
  const ns = words[(at >> 2) + RECORD.changedNs] ?? 0;
  const changedMs = (words[(at >> 2) + RECORD.changed] ?? 0) * 1_000 + ns / 1e6;
  return changedMs > nowMs - Math.max(settleMs, ns === 0 ? 1_000 : 20);
}

function isSameInode(some: Uint32Array, at: number, others: Uint32Array, otherAt: number): boolean {
  return some[at + RECORD.inode] === others[otherAt + RECORD.inode] &&
    some[at + RECORD.inode + 1] === others[otherAt + RECORD.inode + 1];
}

function isSameRecord(some: Uint32Array, at: number, others: Uint32Array, otherAt: number): boolean {
  const words = ((some[at] ?? 0) & 0xffff) >> 2;
  for (let word = 0; word < words; word++) {
    if (word !== RECORD.note && some[at + word] !== others[otherAt + word]) return false;
  }
  return true;
}
