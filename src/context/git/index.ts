import { createHash } from "node:crypto";
import { openRegular, sliceOf, viewOf } from "../files/file_slice.ts";

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
  const body = bytes.subarray(0, Math.max(bytes.length - 20, 0));
  const sum = bytes.subarray(body.length);
  const view = viewOf(body);
  const version = view.getUint32(4);
  const count = view.getUint32(8);
  if (view.getUint32(0) !== 0x44495243 || version < 2 || version > 4) throw new Error("Not an index"); // DIRC
  if (count > MOST_ENTRIES) throw new Error("The index has too many entries");
  // Zeros stand where git was told to save the time (index.skipHash). In a SHA-256 repository the sum never fits.
  if (sum.some((byte) => byte !== 0) && !createHash("sha1").update(body).digest().equals(sum)) {
    throw new Error("The checksum is wrong");
  }
  const places: Place[] = [];
  let at = 12;
  for (let i = 0; i < count; i++) {
    check();
    const place = placeOf(body, view, at, version, places.at(-1)?.rawPath);
    places.push(place);
    at = place.next;
  }
  const treeId = readExtensions(body, view, at, count);
  const paths = decodePaths(places);
  const entries = places.map((place, i) => readEntry(body, view, place, paths[i] ?? ""));
  return { entries, ...(treeId ? { treeId } : {}), writtenMs };
}

function readEntry(body: Uint8Array, view: DataView, { start, rawPath }: Place, path: string): IndexEntry {
  const mode = view.getUint32(start + 24);
  if (!MODES.includes(mode)) throw new Error("No such mode");
  const flags = view.getUint16(start + 60);
  const more = (flags & HAS_MORE_FLAGS) === 0 ? 0 : view.getUint16(start + 62);
  const nanoseconds = view.getUint32(start + 12);
  return {
    path,
    rawPath,
    mode,
    id: body.subarray(start + 40, start + 60),
    stat: {
      ctimeSeconds: view.getUint32(start),
      mtimeMs: view.getUint32(start + 8) * 1000 + Math.floor(nanoseconds / 1e6),
      wholeSeconds: nanoseconds === 0,
      inode: view.getUint32(start + 20),
      size: view.getUint32(start + 36),
    },
    isSkipped: (flags & 0x8000) !== 0 || (more & 0x4000) !== 0,
    isUnsettled: (flags & 0x3000) !== 0 || (more & 0x2000) !== 0,
  };
}

/** The root tree out of the extension TREE; throws for one that must be understood, such as of a split index. */
function readExtensions(body: Uint8Array, view: DataView, start: number, count: number): string | undefined {
  let treeId: string | undefined;
  let at = start;
  while (at < body.length) {
    const name = String.fromCharCode(...body.subarray(at, at + 4));
    const from = at + 8;
    at = from + view.getUint32(at + 4);
    if (!/^[A-Z]/.test(name) || at > body.length) throw new Error("An extension that is not understood");
    if (name !== "TREE") continue;
    // The root stands first: no name, how many entries it covers (-1: no longer true), how many trees, the tree's id.
    const head = /^\0(\d+) \d+\n/.exec(String.fromCharCode(...body.subarray(from, Math.min(from + 32, at))));
    const idAt = from + (head?.[0].length ?? 0);
    if (head && Number(head[1]) === count && idAt + 20 <= at) treeId = body.subarray(idAt, idAt + 20).toHex();
  }
  if (at !== body.length) throw new Error("The extensions do not end where they should");
  return treeId;
}

// Where the entries of an index lie in its bytes, which depends on their paths.

const LONGEST_PATH = 4096;
/** A part of a path, between slashes and NULs, that leads out, or into git's own folder. */
const NO_NAME = /(?:^|[/\0])(?:\.{0,2}|\.git)(?=[/\0])|\\/i;
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** The flag of an entry that has sixteen more. */
export const HAS_MORE_FLAGS = 0x4000;

/** Where an entry starts, its path, and where the next one starts. */
export interface Place {
  readonly start: number;
  readonly rawPath: Uint8Array;
  readonly next: number;
}

/** The place of the entry at `start`; `previous` is the path before. Throws where the bytes make no sense. */
export function placeOf(
  body: Uint8Array,
  view: DataView,
  start: number,
  version: number,
  previous?: Uint8Array,
): Place {
  const hasMore = (view.getUint16(start + 60) & HAS_MORE_FLAGS) !== 0;
  if (hasMore && version === 2) throw new Error("Flags that version 2 does not have");
  const pathAt = start + (hasMore ? 64 : 62);
  return version === 4 ? shortenedPath(body, pathAt, start, previous) : plainPath(body, pathAt, start);
}

/** The paths as text, all decoded at once: one by one, that alone is a third of the reading. Throws for one that leads out. */
export function decodePaths(places: readonly Place[]): readonly string[] {
  const all = new Uint8Array(places.reduce((sum, { rawPath }) => sum + rawPath.length + 1, 0));
  let at = 0;
  for (const { rawPath } of places) all.set(rawPath, at), at += rawPath.length + 1;
  const text = UTF8.decode(all);
  if (NO_NAME.test(text)) throw new Error("A path that git would not have");
  return text.split("\0");
}

/** The path of versions 2 and 3: ended by one to eight NULs, so that entries are multiples of eight bytes. */
function plainPath(body: Uint8Array, at: number, start: number): Place {
  const end = endOf(body, at);
  if (end - at > LONGEST_PATH) throw new Error("The path is too long");
  return { start, rawPath: body.subarray(at, end), next: start + (end - start + 8 & ~7) };
}

/** The path of version 4: how much of the path before falls away, and what follows instead. */
function shortenedPath(
  body: Uint8Array,
  pathAt: number,
  start: number,
  previous: Uint8Array = new Uint8Array(),
): Place {
  let at = pathAt;
  let byte = body[at++] ?? 0;
  let dropped = byte & 127;
  while (byte & 128 && dropped < LONGEST_PATH) {
    byte = body[at++] ?? 0;
    dropped = (dropped + 1) * 128 + (byte & 127);
  }
  if (dropped > previous.length) throw new Error("More falls away than there is");
  const end = endOf(body, at);
  const kept = previous.length - dropped;
  if (kept + end - at > LONGEST_PATH) throw new Error("The path is too long");
  const rawPath = new Uint8Array(kept + end - at);
  rawPath.set(previous.subarray(0, kept));
  rawPath.set(body.subarray(at, end), kept);
  return { start, rawPath, next: end + 1 };
}

function endOf(body: Uint8Array, at: number): number {
  const end = body.indexOf(0, at);
  if (end < 0) throw new Error("A path has no end");
  return end;
}
