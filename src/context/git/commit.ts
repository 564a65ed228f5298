import process from "node:process";
import { join } from "@std/path";
import { entryAt } from "../../core/support/on_disk.ts";
import { openRegular, readText, sliceOf, viewOf } from "../files/read_text.ts";
import type { GitFolders } from "./branch.ts";

/** Compressed bytes that hold the beginning of an object in any case: a block's own codes take at most some hundred. */
const FIRST_BYTES = 1024;
/** Of an object: `commit 1234567`, NUL, `tree`, the id. */
const LINE_BYTES = 80;
/** Of the instructions of a difference: each makes a byte at least, and takes eight at most. */
const INSTRUCTION_BYTES = 24 + 8 * LINE_BYTES;
/** How far into another object a difference may reach for the first line: commits have it at their beginning. */
const MOST_REACH = 2048;
/** Differences from differences; git makes 50 at most unless it is told otherwise. */
const MOST_DEPTH = 250;
/** Of the list of packed refs. */
const MOST_REFS_BYTES = 4 * 1024 * 1024;
const ID = /^[0-9a-f]{40}$/;

/** The commit of HEAD: 40 hex digits, `unborn` before the first one. Undefined where that cannot be told. */
export function headCommit(folders: GitFolders): string | undefined {
  const path = join(folders.own, "HEAD");
  const head = readText(path, 4096, entryAt(path));
  if (head.status !== "loaded") return undefined;
  const text = head.text.trim();
  if (ID.test(text)) return text;
  const ref = /^ref: (refs\/heads\/\S+)$/.exec(text)?.[1];
  if (!ref || ref.includes("..")) return undefined;
  const loose = readText(join(folders.shared, ref), 4096);
  if (loose.status === "loaded") return ID.test(loose.text.trim()) ? loose.text.trim() : undefined;
  // A folder is a ref's neighbour: `fix/a` leaves `fix` behind when it is packed.
  if (loose.status !== "missing" && loose.status !== "not_a_file") return undefined;
  const packed = readText(join(folders.shared, "packed-refs"), MOST_REFS_BYTES);
  const line = packed.status === "loaded" && packed.text.split("\n").find((one) => one.endsWith(` ${ref}`));
  if (line) return ID.exec(line.slice(0, 40))?.[0];
  const isWhole = packed.status === "loaded" ? packed.note === undefined : packed.status === "missing";
  return isWhole && loose.status === "missing" ? "unborn" : undefined;
}

/**
 * The root tree of a commit, hex; undefined where it is not to be found. Throws where files are broken; `check` is called
 * for each pack and each difference and may throw.
 */
export function treeOfCommit(folders: GitFolders, commit: string, check: () => void = () => {}): string | undefined {
  const objects = join(folders.shared, "objects");
  const start = looseObject(objects, commit) ?? packedCommit(join(objects, "pack"), commit, check);
  return start && /^(?:commit \d+\0)?tree ([0-9a-f]{40})\n/.exec(String.fromCharCode(...start))?.[1];
}

function looseObject(objects: string, id: string): Uint8Array | undefined {
  try {
    using file = openRegular(join(objects, id.slice(0, 2), id.slice(2)));
    return inflateStart(sliceOf(file, 0, FIRST_BYTES), LINE_BYTES);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** The first bytes that a zlib stream stands for: fewer than `most` where it ends before. Throws for what is none. */
function inflateStart(input: Uint8Array, most: number): Uint8Array {
  // Loaded here: from source that takes 30 ms, and a session that needs no object of git's needs none of it.
  const { constants, inflateSync } = process.getBuiltinModule("node:zlib");
  return inflateSync(input, { finishFlush: constants.Z_SYNC_FLUSH }).subarray(0, most);
}

function packedCommit(folder: string, commit: string, check: () => void): Uint8Array | undefined {
  const id = Uint8Array.fromHex(commit);
  for (const { name } of Deno.readDirSync(folder)) {
    if (!/^pack-[0-9a-f]+\.idx$/.test(name)) continue;
    check();
    using index = openRegular(join(folder, name));
    const offset = offsetIn(index, id);
    if (offset === undefined) continue;
    using file = openRegular(join(folder, name.replace(/idx$/, "pack")));
    return startOfCommit({ index, file, check }, offset, LINE_BYTES, 0);
  }
  return undefined;
}

/** A pack and its index, open. */
interface Pack {
  readonly index: Deno.FsFile;
  readonly file: Deno.FsFile;
  readonly check: () => void;
}

/** Where a pack holds an object, from its index (gitformat-pack, version 2). */
function offsetIn(file: Deno.FsFile, id: Uint8Array): number | undefined {
  const number = (at: number): number => viewOf(sliceOf(file, at, 4)).getUint32(0);
  if (number(0) !== 0xff744f63 || number(4) !== 2) return undefined;
  const first = id[0] ?? 0;
  const all = number(8 + 255 * 4);
  let low = first === 0 ? 0 : number(8 + (first - 1) * 4);
  let high = Math.min(number(8 + first * 4), all);
  const ids = 8 + 256 * 4;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const order = compare(sliceOf(file, ids + middle * 20, 20), id);
    if (order < 0) low = middle + 1;
    else if (order > 0) high = middle;
    else {
      const offset = number(ids + all * 24 + middle * 4);
      // The highest bit: the number of a row in the table of large offsets, which only packs above 2 GiB have.
      return offset < 2 ** 31
        ? offset
        : Number(viewOf(sliceOf(file, ids + all * 28 + (offset - 2 ** 31) * 8, 8)).getBigUint64(0));
    }
  }
  return undefined;
}

/** The first `most` bytes of the commit at an offset, whole or made from another one; undefined for what is no commit. */
function startOfCommit(pack: Pack, offset: number, most: number, depth: number): Uint8Array | undefined {
  pack.check();
  if (depth > MOST_DEPTH || most > MOST_REACH) throw new Error("The commit is made from too much else");
  const bytes = sliceOf(pack.file, offset, FIRST_BYTES + 2 * most);
  const kind = (bytes[0] ?? 0) >> 4 & 7;
  // The size goes on while the highest bit is set.
  const head = bytes.findIndex((byte) => byte < 128) + 1;
  if (kind === 1) return inflateStart(bytes.subarray(head), most);
  if (kind !== 6 && kind !== 7) return undefined;
  const { base, next } = kind === 6 ? nearBase(bytes, head, offset) : namedBase(pack, bytes, head);
  if (base === undefined) return undefined;
  const instructions = inflateStart(bytes.subarray(next), INSTRUCTION_BYTES + 2 * most);
  return startOfDifference(instructions, most, (need) => startOfCommit(pack, base, need, depth + 1));
}

/** OFS_DELTA: how far before, in groups of seven bits of which each but the last counts one more. */
function nearBase(bytes: Uint8Array, at: number, offset: number): { readonly base?: number; readonly next: number } {
  let back = 0;
  for (let next = at;; next++) {
    const byte = bytes[next] ?? 0;
    back = back * 128 + (byte & 127);
    if (byte >= 128) {
      back++;
      if (next - at > 8) throw new Error("No such distance");
    } else return back > 0 && back < offset ? { base: offset - back, next: next + 1 } : { next };
  }
}

/** REF_DELTA: the base is named by its id, and in the same pack. */
function namedBase({ index }: Pack, bytes: Uint8Array, at: number): { readonly base?: number; readonly next: number } {
  const base = offsetIn(index, bytes.subarray(at, at + 20));
  return { ...(base === undefined ? {} : { base }), next: at + 20 };
}

/** What the first instructions of a difference make: copies out of the base, and bytes of their own. */
function startOfDifference(
  instructions: Uint8Array,
  most: number,
  baseUpTo: (length: number) => Uint8Array | undefined,
): Uint8Array | undefined {
  const made: number[] = [];
  // The sizes of the base and of the result stand first.
  let at = endOfSize(instructions, endOfSize(instructions, 0));
  while (made.length < most && at < instructions.length) {
    const code = instructions[at++] ?? 0;
    if (code === 0) throw new Error("No such instruction");
    if (code < 128) {
      made.push(...instructions.subarray(at, at + code));
      at += code;
      continue;
    }
    // A bit for each byte that is there: four of the place, three of the length.
    const part = [0, 1, 2, 3, 4, 5, 6].map((bit) => (code >> bit & 1) === 1 ? instructions[at++] ?? 0 : 0);
    const number = (from: number, to: number): number =>
      part.slice(from, to).reduceRight((sum, byte) => sum * 256 + byte, 0);
    const start = number(0, 4);
    const length = Math.min(number(4, 7) || 0x10000, most - made.length);
    const base = baseUpTo(start + length);
    if (!base) return undefined;
    made.push(...base.subarray(start, start + length));
    if (base.length < start + length) break; // the base ends before
  }
  return Uint8Array.from(made.slice(0, most));
}

function endOfSize(bytes: Uint8Array, at: number): number {
  const end = bytes.subarray(at).findIndex((byte) => byte < 128);
  if (end < 0) throw new Error("A size has no end");
  return at + end + 1;
}

function compare(a: Uint8Array, b: Uint8Array): number {
  const at = a.findIndex((byte, i) => byte !== b[i]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}
