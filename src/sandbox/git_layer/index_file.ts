// The index as meaning: a list of paths with modes and objects. It is written anew, without what a command could make git believe
// of files that it does not look at. gitformat-index(5)
import { createHash } from "node:crypto";
import { INDEX_HEADER, INDEX_MODE_AT, INDEX_STAT, indexExtensions, walkIndex } from "../../core/support/git_index.ts";
import { checkIndex } from "../git/index_check.ts";
import { stringOf } from "../system/byte_path.ts";

/** One entry. */
export interface IndexEntry {
  /** A character for each byte. */
  readonly path: string;
  readonly stage: number;
  readonly mode: number;
  /** Hexadecimal. */
  readonly object: string;
  /** What git compares with lstat(2), the mode's four bytes among it. */
  readonly stat: Uint8Array;
  /** Not to be looked at, not to be checked out, meant to be added. */
  readonly isAssumed: boolean;
  readonly isSkipped: boolean;
  readonly isIntent: boolean;
}

/** A commit of another repository. */
const GITLINK = 0o160000;
const MODES: ReadonlySet<number> = new Set([0o100644, 0o100755, 0o120000, GITLINK]);

/** The entries of an index; throws with the reason where they are not all in it, in order and sound. */
export function readIndex(bytes: Uint8Array, hashBytes: 20 | 32): readonly IndexEntry[] {
  if (bytes.length === 0) return [];
  if (!checkIndex(bytes, hashBytes).isSound) throw new Error("it is not as git writes it, or names places elsewhere");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries: IndexEntry[] = [];
  let last = "";
  const end = walkIndex(bytes, hashBytes, ({ start, flagsAt, flags, furtherFlags, path }) => {
    const mode = view.getUint32(start + INDEX_MODE_AT);
    if (!MODES.has(mode)) throw new Error(`it has an entry of mode ${mode.toString(8)}, as sparse ones do`);
    const stage = (flags >> 12) & 3;
    const name = stringOf(path, 0, path.length);
    const place = `${name}\0${stage}`;
    if (place <= last) throw new Error("its entries are not in order");
    last = place;
    entries.push({
      path: name,
      stage,
      mode,
      object: bytes.subarray(start + INDEX_STAT, flagsAt).toHex(),
      stat: bytes.subarray(start, start + INDEX_STAT),
      isAssumed: (flags & 0x8000) !== 0,
      isSkipped: (furtherFlags & 0x4000) !== 0,
      isIntent: (furtherFlags & 0x2000) !== 0,
    });
  });
  const extensions = end === undefined ? undefined : indexExtensions(bytes, hashBytes, end);
  if (!extensions || extensions.has("sdir")) throw new Error("it is sparse");
  if (extensions.has("link")) throw new Error("it is split");
  return entries;
}

/**
 * The entries of a command's index as they may be for the user: what it says of files only where that was so before.
 * `isSparse`: but for those that are not to be checked out. Pure.
 */
export function importedEntries(
  own: readonly IndexEntry[],
  changed: readonly IndexEntry[],
  isSparse = false,
): readonly IndexEntry[] {
  const known = new Map(own.map((entry) => [`${entry.path}\0${entry.stage}`, entry]));
  return changed.map((entry) => {
    const was = known.get(`${entry.path}\0${entry.stage}`);
    if (
      was !== undefined && was.object === entry.object && was.mode === entry.mode && was.isIntent === entry.isIntent
    ) {
      return was;
    }
    const stat = new Uint8Array(INDEX_STAT);
    new DataView(stat.buffer).setUint32(INDEX_MODE_AT, entry.mode);
    return { ...entry, stat, isAssumed: false, isSkipped: isSparse ? entry.isSkipped : was?.isSkipped ?? false };
  });
}

/**
 * Merges what a command changed of a list into what others made of the same list meanwhile. Undefined if both changed the same
 * path in different ways, or if a file and a directory would have the same name. Pure.
 */
export function mergedEntries(
  base: readonly IndexEntry[],
  current: readonly IndexEntry[],
  changed: readonly IndexEntry[],
): readonly IndexEntry[] | undefined {
  if (sameEntries(base, current) || sameEntries(current, changed)) return changed;
  const [was, now, own] = [byPath(base), byPath(current), byPath(changed)];
  const merged: IndexEntry[] = [];
  for (const path of new Set([...now.keys(), ...own.keys()])) {
    const [before, theirs, ours] = [was.get(path) ?? [], now.get(path) ?? [], own.get(path) ?? []];
    if (sameEntries(before, theirs) || sameEntries(ours, theirs)) merged.push(...ours);
    else if (sameEntries(before, ours)) merged.push(...theirs);
    else return undefined;
  }
  const paths = new Set(merged.map(({ path }) => path));
  const isBelowFile = (path: string): boolean => {
    for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
      if (paths.has(path.slice(0, at))) return true;
    }
    return false;
  };
  if ([...paths].some(isBelowFile)) return undefined;
  return merged.sort((a, b) => a.path === b.path ? a.stage - b.stage : a.path < b.path ? -1 : 1);
}

function byPath(entries: readonly IndexEntry[]): Map<string, IndexEntry[]> {
  const paths = new Map<string, IndexEntry[]>();
  for (const entry of entries) {
    const same = paths.get(entry.path);
    if (same === undefined) paths.set(entry.path, [entry]);
    else same.push(entry);
  }
  return paths;
}

/** The objects of files that a list names and another does not. Pure. */
export function addedObjects(own: readonly IndexEntry[], changed: readonly IndexEntry[]): ReadonlySet<string> {
  const known = new Set(own.map(({ object }) => object));
  return new Set(
    changed.filter(({ mode, object }) => mode !== GITLINK && !known.has(object)).map(({ object }) => object),
  );
}

/** Whether two lists mean the same, whatever they say of files. Pure. */
export function sameEntries(some: readonly IndexEntry[], others: readonly IndexEntry[]): boolean {
  return some.length === others.length && some.every((entry, at) => {
    const other = others[at] as IndexEntry;
    return entry.path === other.path && entry.stage === other.stage && entry.mode === other.mode &&
      entry.object === other.object && entry.isIntent === other.isIntent;
  });
}

/** An index with these entries and nothing else. Pure. */
export function writeIndex(entries: readonly IndexEntry[], hashBytes: 20 | 32): Uint8Array<ArrayBuffer> {
  const further = (entry: IndexEntry): number => (entry.isSkipped ? 0x4000 : 0) | (entry.isIntent ? 0x2000 : 0);
  const sizes = entries.map((entry) =>
    (INDEX_STAT + hashBytes + 2 + (further(entry) ? 2 : 0) + entry.path.length + 8) & ~7
  );
  const bytes = new Uint8Array(INDEX_HEADER + sizes.reduce((sum, size) => sum + size, 0) + hashBytes);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 0x44495243);
  view.setUint32(4, entries.some((entry) => further(entry) !== 0) ? 3 : 2);
  view.setUint32(8, entries.length);
  let start = INDEX_HEADER;
  for (const [place, entry] of entries.entries()) {
    const more = further(entry);
    bytes.set(entry.stat, start);
    view.setUint32(start + INDEX_MODE_AT, entry.mode);
    bytes.set(Uint8Array.fromHex(entry.object), start + INDEX_STAT);
    const flags = (entry.isAssumed ? 0x8000 : 0) | (more ? 0x4000 : 0) | (entry.stage << 12);
    view.setUint16(start + INDEX_STAT + hashBytes, flags | Math.min(entry.path.length, 0xfff));
    if (more) view.setUint16(start + INDEX_STAT + hashBytes + 2, more);
    let at = start + INDEX_STAT + hashBytes + (more ? 4 : 2);
    for (let byte = 0; byte < entry.path.length; byte++) bytes[at++] = entry.path.charCodeAt(byte);
    start += sizes[place] as number;
  }
  const end = bytes.length - hashBytes;
  const hash = createHash(hashBytes === 20 ? "sha1" : "sha256").update(bytes.subarray(0, end)).digest();
  bytes.set(hash, end);
  return bytes;
}
