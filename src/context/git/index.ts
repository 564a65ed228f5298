import { createHash } from "node:crypto";
import {
  INDEX_MODE_AT,
  INDEX_STAT,
  type IndexExtension,
  indexExtensions,
  type IndexPlace,
  walkIndex,
} from "../../core/support/git_index.ts";
import { openRegular, sliceOf, viewOf } from "../files/read_text.ts";

/** One tracked file as git's index has it. */
export interface IndexEntry {
  /** From the top of the checkout, with slashes; names neither `.git` nor a way out. */
  readonly path: string;
  readonly rawPath: Uint8Array;
  readonly mode: number;
  /** Of the content as git stores it, 20 bytes. */
  readonly id: Uint8Array;
  readonly stat: {
    readonly ctimeSeconds: number;
    readonly mtimeMs: number;
    /** The file system or the writer knew no more than seconds. */
    readonly wholeSeconds: boolean;
    readonly inode: number;
    /** Modulo 2^32; 0 also where git does not vouch for the rest. */
    readonly size: number;
  };
  /** Not looked at by git: marked as unchanged, or outside a sparse checkout. */
  readonly isSkipped: boolean;
  /** In a merge conflict, or announced without content (`git add -N`). */
  readonly isUnsettled: boolean;
}

/** git's index: what the next commit would hold. */
export interface GitIndex {
  readonly entries: readonly IndexEntry[];
  /** The root tree that the entries make, where git noted it; hex. */
  readonly treeId?: string;
  /** When the file was written. */
  readonly writtenMs: number;
}

/** More entries than this cannot be looked at in the time that there is: nothing is begun that would come to nothing. */
const MOST_ENTRIES = 10_000;
const MOST_BYTES = 4 * 1024 * 1024;
const LONGEST_PATH = 4096;
/** In a SHA-256 repository the checksum never fits. */
const HASH_BYTES = 20;
const MODES = [0o100644, 0o100755, 0o120000, 0o160000];

/**
 * Reads an index file (gitformat-index, versions 2 to 4). Throws where it is missing, large or not understood; `check` is
 * called for each entry and may throw.
 */
export function readIndex(path: string, check: () => void = () => {}): GitIndex {
  using file = openRegular(path);
  const { size, mtime } = file.statSync();
  if (size > MOST_BYTES || !mtime) throw new Error("The index is too large");
  return parseIndex(sliceOf(file, 0, size), mtime.getTime(), check);
}

/** Reads the bytes of an index. Throws where they are not understood. */
export function parseIndex(bytes: Uint8Array, writtenMs: number, check: () => void = () => {}): GitIndex {
  const body = bytes.subarray(0, Math.max(bytes.length - HASH_BYTES, 0));
  const sum = bytes.subarray(body.length);
  const view = viewOf(bytes);
  const count = view.getUint32(8);
  if (count > MOST_ENTRIES) throw new Error("The index has too many entries");
  // Zeros stand where git was told to save the time (index.skipHash).
  if (sum.some((byte) => byte !== 0) && !createHash("sha1").update(body).digest().equals(sum)) {
    throw new Error("The checksum is wrong");
  }
  const places: IndexPlace[] = [];
  const end = walkIndex(bytes, HASH_BYTES, (place) => {
    check();
    if (place.path.length > LONGEST_PATH) throw new Error("A path is too long");
    places.push(place);
  });
  const extensions = end === undefined ? undefined : indexExtensions(bytes, HASH_BYTES, end);
  if (!extensions || extensions.has("link") || extensions.has("sdir")) {
    throw new Error("An index that is not understood");
  }
  const treeId = treeIdIn(bytes, extensions.get("TREE"), count);
  const paths = decodePaths(places.map(({ path }) => path));
  const entries = places.map((place, i) => readEntry(bytes, view, place, paths[i] ?? ""));
  return { entries, ...(treeId ? { treeId } : {}), writtenMs };
}

function readEntry(bytes: Uint8Array, view: DataView, place: IndexPlace, path: string): IndexEntry {
  const { start, flagsAt, flags, furtherFlags } = place;
  const mode = view.getUint32(start + INDEX_MODE_AT);
  if (!MODES.includes(mode)) throw new Error("No such mode");
  const nanoseconds = view.getUint32(start + 12);
  return {
    path,
    rawPath: place.path,
    mode,
    id: bytes.subarray(start + INDEX_STAT, flagsAt),
    stat: {
      ctimeSeconds: view.getUint32(start),
      mtimeMs: view.getUint32(start + 8) * 1000 + Math.floor(nanoseconds / 1e6),
      wholeSeconds: nanoseconds === 0,
      inode: view.getUint32(start + 20),
      size: view.getUint32(start + 36),
    },
    isSkipped: (flags & 0x8000) !== 0 || (furtherFlags & 0x4000) !== 0,
    isUnsettled: (flags & 0x3000) !== 0 || (furtherFlags & 0x2000) !== 0,
  };
}

/** The root tree out of the extension TREE; undefined where git noted none, or entries have changed since. */
function treeIdIn(bytes: Uint8Array, extension: IndexExtension | undefined, count: number): string | undefined {
  if (!extension) return undefined;
  const { from, to } = extension;
  // The root stands first: no name, how many entries it covers (-1: no longer true), how many trees, the tree's id.
  const head = /^\0(\d+) \d+\n/.exec(String.fromCharCode(...bytes.subarray(from, Math.min(from + 32, to))));
  const idAt = from + (head?.[0].length ?? 0);
  return head && Number(head[1]) === count && idAt + 20 <= to ? bytes.subarray(idAt, idAt + 20).toHex() : undefined;
}

/** A part of a path, between slashes and NULs, that leads out, or into git's own folder. */
const NO_NAME = /(?:^|[/\0])(?:\.{0,2}|\.git)(?=[/\0])|\\/i;
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The paths as text, all decoded at once: one by one, that alone is a third of the reading. Throws for one that leads out. */
export function decodePaths(paths: readonly Uint8Array[]): readonly string[] {
  const all = new Uint8Array(paths.reduce((sum, path) => sum + path.length + 1, 0));
  let at = 0;
  for (const path of paths) all.set(path, at), at += path.length + 1;
  const text = UTF8.decode(all);
  if (NO_NAME.test(text)) throw new Error("A path that git would not have");
  return text.split("\0");
}

const SLASH = 0x2f;

/** The id of the root tree that a commit of these entries would have, hex. `check` is called for each tree and may throw. */
export function treeIdOf(entries: readonly IndexEntry[], check: () => void): string {
  return treeOf(entries, 0, entries.length, 0, check).toHex();
}

/** The tree of the entries from `first` to before `end`, whose paths are alike up to `skip`. */
function treeOf(
  entries: readonly IndexEntry[],
  first: number,
  end: number,
  skip: number,
  check: () => void,
): Uint8Array {
  check();
  const parts: Uint8Array[] = [];
  for (let i = first; i < end;) {
    const entry = entries[i];
    if (!entry) break;
    const { rawPath } = entry;
    const slash = rawPath.indexOf(SLASH, skip);
    if (slash < 0) {
      parts.push(line(entry.mode, rawPath.subarray(skip)), entry.id);
      i++;
      continue;
    }
    let next = i + 1;
    while (next < end && isBelow(entries[next]?.rawPath, rawPath, skip, slash)) next++;
    parts.push(line(0o40000, rawPath.subarray(skip, slash)), treeOf(entries, i, next, slash + 1, check));
    i = next;
  }
  const hash = createHash("sha1").update(`tree ${parts.reduce((sum, part) => sum + part.length, 0)}\0`);
  for (const part of parts) hash.update(part);
  return new Uint8Array(hash.digest());
}

function line(mode: number, name: Uint8Array): Uint8Array {
  const head = new TextEncoder().encode(`${mode.toString(8)} `);
  const bytes = new Uint8Array(head.length + name.length + 1);
  bytes.set(head);
  bytes.set(name, head.length);
  return bytes;
}

function isBelow(path: Uint8Array | undefined, folder: Uint8Array, from: number, slash: number): boolean {
  if (!path || path.length <= slash) return false;
  for (let at = slash; at >= from; at--) if (path[at] !== folder[at]) return false;
  return true;
}
