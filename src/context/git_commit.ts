import { join } from "@std/path";
import { openRegular, sliceOf, viewOf } from "./file_slice.ts";
import type { GitFolders } from "./git_folders.ts";
import { inflateStart } from "./inflate_start.ts";
import { readText } from "./read_text.ts";

/** More packs than this are not searched. */
const MOST_PACKS = 32;
/** Compressed bytes that hold the first line of a commit in any case: a block's own codes take at most some hundred. */
const FIRST_BYTES = 1024;
/** Of an object: `commit 1234567`, NUL, `tree`, the id. */
const LINE_BYTES = 80;
const ID = /^[0-9a-f]{40}$/;

/** The commit of HEAD: 40 hex digits, `unborn` before the first one. Undefined where that cannot be told. */
export function headCommit(folders: GitFolders): string | undefined {
  const head = readText(join(folders.own, "HEAD"), 4096);
  if (head.status !== "loaded") return undefined;
  const text = head.text.trim();
  if (ID.test(text)) return text;
  const ref = /^ref: (refs\/heads\/\S+)$/.exec(text)?.[1];
  if (!ref || ref.includes("..")) return undefined;
  const loose = readText(join(folders.shared, ref), 4096);
  if (loose.status === "loaded") return ID.test(loose.text.trim()) ? loose.text.trim() : undefined;
  // A folder is a ref's neighbour: `fix/a` leaves `fix` behind when it is packed.
  if (loose.status !== "missing" && loose.status !== "not_a_file") return undefined;
  const packed = readText(join(folders.shared, "packed-refs"));
  const line = packed.status === "loaded" && packed.text.split("\n").find((one) => one.endsWith(` ${ref}`));
  if (line) return ID.exec(line.slice(0, 40))?.[0];
  const isWhole = packed.status === "loaded" ? packed.note === undefined : packed.status === "missing";
  return isWhole && loose.status === "missing" ? "unborn" : undefined;
}

/** The root tree of a commit, hex; undefined where it is stored in a way that is not read here. Throws where files are broken. */
export function treeOfCommit(folders: GitFolders, commit: string): string | undefined {
  const objects = join(folders.shared, "objects");
  const start = looseObject(objects, commit) ?? packedCommit(join(objects, "pack"), commit);
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

function packedCommit(folder: string, commit: string): Uint8Array | undefined {
  const id = Uint8Array.fromHex(commit);
  let left = MOST_PACKS;
  for (const { name } of Deno.readDirSync(folder)) {
    if (!/^pack-[0-9a-f]+\.idx$/.test(name)) continue;
    if (left-- === 0) return undefined;
    const offset = offsetIn(join(folder, name), id);
    if (offset !== undefined) return commitAt(join(folder, name.replace(/idx$/, "pack")), offset);
  }
  return undefined;
}

/** Where a pack holds an object, from its index (gitformat-pack, version 2). */
function offsetIn(path: string, id: Uint8Array): number | undefined {
  using file = openRegular(path);
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

function commitAt(path: string, offset: number): Uint8Array | undefined {
  using file = openRegular(path);
  const bytes = sliceOf(file, offset, FIRST_BYTES);
  // Three bits of the first byte are the kind: 1 is a whole commit, 6 and 7 are differences from another object.
  if (((bytes[0] ?? 0) >> 4 & 7) !== 1) return undefined;
  // The size goes on while the highest bit is set.
  const start = bytes.findIndex((byte) => byte < 128) + 1;
  return inflateStart(bytes.subarray(start), LINE_BYTES);
}

function compare(a: Uint8Array, b: Uint8Array): number {
  const at = a.findIndex((byte, i) => byte !== b[i]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}
