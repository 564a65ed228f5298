// git believes the index that it finds: "git checkout ." writes a file to whatever path an entry names, outside of the
// repository too, and into its hooks. The bytes are a command's, so every number in them may be a lie.
import { createHash } from "node:crypto";
import {
  INDEX_HEADER,
  INDEX_MODE_AT,
  INDEX_STAT,
  type IndexExtension,
  indexExtensions,
  walkIndex,
} from "../../core/support/git_index.ts";
import { stringOf } from "../system/byte_path.ts";

const TREE = 0o040000;
const SLASH = 0x2f;

/** What an index is. */
export type IndexVerdict =
  | { readonly isSound: false }
  /** `shared`: the name of the file with the rest of the entries, when the index is split. */
  | { readonly isSound: true; readonly shared?: string };

const UNSOUND: IndexVerdict = { isSound: false };

/**
 * Whether every entry of an index names a place in the working folder that is none of git's own. `hashBytes`: the length of
 * object names. Pure.
 *
 * Only what git writes itself is sound: git takes lengths and places from numbers that may contradict each other, and which
 * of them it believes depends on its version and on how many threads it reads with. So all of them must agree.
 */
export function checkIndex(bytes: Uint8Array, hashBytes: 20 | 32): IndexVerdict {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries = readEntries(bytes, view, hashBytes);
  const extensions = entries && indexExtensions(bytes, hashBytes, entries.end);
  if (!entries || !extensions) return UNSOUND;
  if (!isEndSound(bytes, view, extensions, entries.end, hashBytes)) return UNSOUND;
  const table = extensions.get("IEOT");
  if (table && !isTableSound(view, table, entries)) return UNSOUND;
  const link = extensions.get("link");
  if (link && link.to - link.from < hashBytes) return UNSOUND;
  const hash = link && bytes.subarray(link.from, link.from + hashBytes);
  const shared = hash?.some((byte) => byte !== 0) ? `sharedindex.${hash.toHex()}` : undefined;
  if (entries.hasNameless && shared === undefined) return UNSOUND;
  return { isSound: true, ...(shared === undefined ? {} : { shared }) };
}

interface Entries {
  /** Where each entry begins. */
  readonly starts: readonly number[];
  /** Version 4: whether an entry's name stands there whole, so that reading can begin with it. */
  readonly whole: readonly boolean[];
  /** A split index has entries without a name, which the shared one has. */
  readonly hasNameless: boolean;
  readonly end: number;
}

/** Undefined: not as git writes them, or one names a place elsewhere. */
function readEntries(bytes: Uint8Array, view: DataView, hashBytes: 20 | 32): Entries | undefined {
  const starts: number[] = [];
  const whole: boolean[] = [];
  let hasNameless = false;
  let isSound = true;
  const end = walkIndex(bytes, hashBytes, ({ start, path, isWhole }) => {
    starts.push(start);
    whole.push(isWhole);
    if (path.length === 0) hasNameless = true;
    else isSound &&= isWithin(path, (view.getUint32(start + INDEX_MODE_AT) & 0o170000) === TREE);
  });
  return end !== undefined && isSound ? { starts, whole, hasNameless, end } : undefined;
}

/**
 * Whether git, looking back from the end of the file for where the entries end, finds the right place or nothing: with
 * several threads it reads extensions from there, and would find others in the middle of one.
 */
function isEndSound(
  bytes: Uint8Array,
  view: DataView,
  extensions: ReadonlyMap<string, IndexExtension>,
  end: number,
  hashBytes: number,
): boolean {
  const last = bytes.length - hashBytes;
  const eoie = extensions.get("EOIE");
  // git has its length with a hash of 20 bytes, whatever the repository's are.
  for (const at of [last - 32, last - 12 - hashBytes]) {
    const isThere = at >= INDEX_HEADER && view.getUint32(at) === 0x454f4945;
    if (isThere && (eoie?.from !== at + 8 || at + 12 + hashBytes !== last)) return false;
  }
  if (eoie === undefined) return true;
  if (eoie.to !== last || eoie.to - eoie.from !== 4 + hashBytes || view.getUint32(eoie.from) !== end) return false;
  const hash = createHash(hashBytes === 20 ? "sha1" : "sha256");
  for (const extension of extensions.values()) {
    if (extension !== eoie) hash.update(bytes.subarray(extension.from - 8, extension.from));
  }
  return hash.digest("hex") === bytes.subarray(eoie.from + 4, last).toHex();
}

/** Whether threads that begin where a table says read the very entries that stand there, and all of them. */
function isTableSound(view: DataView, { from, to }: IndexExtension, { starts, whole }: Entries): boolean {
  if (to - from < 12 || (to - from - 4) % 8 !== 0 || view.getUint32(from) !== 1) return false;
  let entry = 0;
  for (let block = from + 4; block < to; block += 8) {
    if (starts[entry] !== view.getUint32(block) || whole[entry] !== true) return false;
    entry += view.getUint32(block + 4);
  }
  return entry === starts.length;
}

/** Flags of an entry: not to be compared with its file; of the further ones: not to be checked out. */
const ASSUMED = 0x8000;
const SKIPPED = 0x4000;
/** Names of the list of untracked files that an index can have, which git believes. */
const UNTRACKED = "UNTR";

/**
 * Paths whose files git does not look at because of flags in an index, a character for each byte, and the name of the
 * extension that lists untracked files, if there is one. `bytes` must be sound; see `checkIndex`. Pure.
 */
export function unseenByIndex(bytes: Uint8Array, hashBytes: 20 | 32): string[] {
  const unseen: string[] = [];
  const end = walkIndex(bytes, hashBytes, ({ flags, furtherFlags, path }) => {
    if (isMarked(flags, furtherFlags)) unseen.push(stringOf(path, 0, path.length));
  });
  const extensions = end === undefined ? undefined : indexExtensions(bytes, hashBytes, end);
  return extensions?.has(UNTRACKED) ? [...unseen, UNTRACKED] : unseen;
}

function isMarked(flags: number, furtherFlags: number): boolean {
  return (flags & ASSUMED) !== 0 || (furtherFlags & SKIPPED) !== 0;
}

/**
 * An index by which git looks at files again: without the flags of each path that is not in `own`, and without a list of
 * untracked files that is not in it. `bytes` must be sound; see `checkIndex`. Pure.
 */
export function seenIndex(bytes: Uint8Array, hashBytes: 20 | 32, own: readonly string[]): Uint8Array<ArrayBuffer> {
  const seen = new Uint8Array(bytes);
  const view = new DataView(seen.buffer);
  const kept = new Set(own);
  const end = walkIndex(bytes, hashBytes, ({ start, flagsAt, flags, furtherFlags, path }) => {
    if (!isMarked(flags, furtherFlags) || kept.has(stringOf(path, 0, path.length))) return;
    view.setUint16(flagsAt, flags & ~ASSUMED);
    if (furtherFlags !== 0) view.setUint16(flagsAt + 2, furtherFlags & ~SKIPPED);
    // What it says of the file is not believed either: git compares the contents.
    seen.fill(0, start, start + INDEX_MODE_AT).fill(0, start + INDEX_MODE_AT + 4, start + INDEX_STAT);
  });
  const list = end === undefined ? undefined : indexExtensions(bytes, hashBytes, end)?.get(UNTRACKED);
  // Empty, it names no place, so git does not use it.
  if (list && !kept.has(UNTRACKED)) seen.fill(0, list.from, list.to);
  const last = seen.length - hashBytes;
  seen.set(createHash(hashBytes === 20 ? "sha1" : "sha256").update(seen.subarray(0, last)).digest(), last);
  return seen;
}

/** Whether a path stays in the folder that it counts from, and out of a `.git`; of a folder it ends with a slash. */
export function isWithin(path: Uint8Array, isFolder = false): boolean {
  const end = isFolder && path[path.length - 1] === SLASH ? path.length - 1 : path.length;
  let start = 0;
  for (let at = 0; at <= end; at++) {
    if (at < end && path[at] !== SLASH) continue;
    const length = at - start;
    if (length === 0) return false;
    if (path[start] === 0x2e && length <= 4 && isReserved(path, start, length)) return false;
    start = at + 1;
  }
  return true;
}

/** `.`, `..` and `.git`, in whatever letters. */
function isReserved(path: Uint8Array, start: number, length: number): boolean {
  if (length === 1) return true;
  if (length === 2) return path[start + 1] === 0x2e;
  const lower = (at: number): number => (path[start + at] ?? 0) | 0x20;
  return length === 4 && lower(1) === 0x67 && lower(2) === 0x69 && lower(3) === 0x74;
}

/** Whether a list of half-resolved conflicts (`MERGE_RR`) names only files of the working folder: rerere(5) writes to them. */
export function isSoundMergeList(bytes: Uint8Array): boolean {
  let start = 0;
  while (start < bytes.length) {
    const end = bytes.indexOf(0, start);
    const tab = bytes.indexOf(0x09, start);
    if (end < 0 || tab < 0 || tab > end) return false;
    if (!/^[0-9a-f]{40,64}(?:\.\d+)?$/.test(new TextDecoder().decode(bytes.subarray(start, tab)))) return false;
    if (!isWithin(bytes.subarray(tab + 1, end))) return false;
    start = end + 1;
  }
  return true;
}
