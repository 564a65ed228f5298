import { createHash } from "node:crypto";
import { messageOf, UserError } from "../core/error.ts";
import type { NamedFile, NamedFiles } from "../core/named_files.ts";
import { attempt } from "../core/support/attempt.ts";
import { sha256 as digestOf } from "../core/support/digest.ts";
import { archiveBytes, encodeIndex, type PackIndex } from "./archive.ts";
import { findArchive, openReadable, PACKED, type Readable } from "./carrier.ts";
import type { GatheredFile } from "./gather.ts";
import { type ReadPack, readPack } from "./carried.ts";

/** What goes into a binary. */
export interface ToPack extends Omit<PackIndex, "base" | "files"> {
  readonly files: readonly GatheredFile[];
}

/** A binary that was written. */
export interface Written {
  readonly fingerprint: string;
  readonly bytes: number;
  /** Why nobody has seen such a binary start: the system that it is for has its own rules about what lies behind a program. */
  readonly untested?: string;
}

const CHUNK = 4 * 2 ** 20;

/**
 * Writes `base` with an archive to `out`, which is replaced as a whole: there is the new file or what was there before.
 *
 * The same inputs make the same bytes. Throws UserError for a base that is no binary of this program, or packed already.
 */
export function writeBinary(base: string, toPack: ToPack, files: NamedFiles, out: NamedFile): Written {
  let file: Readable & Disposable;
  try {
    file = openReadable(base);
  } catch (error) {
    throw unusable(base, messageOf(error));
  }
  using program = file;
  const place = placeIn(program, base);
  if (isSameFile(base, out.real)) throw unusable(base, "it would be written over");
  const write = (written: Deno.FsFile): Written => {
    const digest = createHash("sha256");
    const info = Deno.statSync(base);
    const copy = (from: number, to: number): void => {
      for (let at = from; at < to; at += CHUNK) {
        const bytes = program.read(at, Math.min(CHUNK, to - at));
        digest.update(bytes);
        writeAll(written, bytes);
      }
    };
    // The list has the program's digest, and lies in the middle of it: the end is read first and kept.
    copy(0, place.start);
    const rest = program.read(place.end, program.size - place.end);
    digest.update(rest);
    const { files: packed, ...index } = toPack;
    const list = encodeIndex({ ...index, files: packed, base: { bytes: program.size, sha256: digest.digest("hex") } });
    for (const bytes of archiveBytes(list, packed.map(({ content }) => content))) writeAll(written, bytes);
    writeAll(written, rest);
    const now = Deno.statSync(base);
    if (now.size !== info.size || now.ino !== info.ino || now.mtime?.getTime() !== info.mtime?.getTime()) {
      throw unusable(base, "it changed while it was read");
    }
    const bytes = written.statSync().size;
    const untested = untestedOf(program);
    return { fingerprint: digestOf(list), bytes, ...(untested === undefined ? {} : { untested }) };
  };
  try {
    return files.replace(out, write, 0o755);
  } catch (error) {
    throw error instanceof UserError ? error : unwritable(out.path, error);
  }
}

/** A binary and its program, as they are. */
export interface Inspected extends ReadPack {
  readonly bytes: number;
}

/**
 * Reads what a binary holds, and compares every byte of it with the digests. Throws UserError for one that is damaged, or
 * was not packed.
 */
export function inspectBinary(path: string): Inspected {
  const read = readPack(path);
  if (read === undefined) {
    throw new UserError({
      what: `Cannot inspect ${path}`,
      why: "nothing is packed into it",
      fix: "sandpiper pack -o FILE makes one",
    });
  }
  using file = openReadable(path);
  const { start, end } = findArchive(file);
  const digest = createHash("sha256");
  for (const [from, to] of [[0, start], [end, file.size]] as const) {
    for (let at = from; at < to; at += CHUNK) digest.update(file.read(at, Math.min(CHUNK, to - at)));
  }
  if (digest.digest("hex") !== read.index.base.sha256) {
    throw new UserError({
      what: `${path} is not as it was packed`,
      why: "the program in it has changed",
      fix: "Get the file again, or pack it anew",
    });
  }
  return { ...read, bytes: file.size };
}

/** Where the archive goes. Throws UserError for a file that would not look for it. */
function placeIn(program: Readable, base: string): { readonly start: number; readonly end: number } {
  let place: ReturnType<typeof findArchive>;
  try {
    place = findArchive(program);
  } catch (error) {
    throw unusable(base, messageOf(error));
  }
  if (place.list !== undefined) throw unusable(base, "something is packed into it already");
  if (!knowsPacks(program)) throw unusable(base, "it is no sandpiper that knows packs");
  return place;
}

/** Whether the program that reads archives is in it: the mark is a text of its own modules. */
function knowsPacks(program: Readable): boolean {
  const text = new TextDecoder("latin1");
  for (let end = program.size; end > 0; end -= CHUNK) {
    const from = Math.max(0, end - CHUNK - PACKED.length);
    if (text.decode(program.read(from, end - from)).includes(PACKED)) return true;
  }
  return false;
}

function untestedOf(program: Readable): string | undefined {
  const [a, b, c, d] = program.read(0, 4);
  if (a === 0x7f) return undefined;
  const isMach = [a, b, c, d].map((byte) => byte?.toString(16)).join(" ") === "cf fa ed fe";
  return isMach
    ? "macOS: the archive lies behind the signed part; the program has not been seen to start there, and a strict check " +
      "of the signature refuses it"
    : "Windows: the archive lies behind the program, and a signature has to be made after packing; it has not been seen " +
      "to start there";
}

function isSameFile(base: string, out: string): boolean {
  return attempt(() => Deno.realPathSync(base) === Deno.realPathSync(out)) ?? false; // nothing is there yet
}

function writeAll(file: Deno.FsFile, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += file.writeSync(bytes.subarray(done));
}

function unwritable(out: string, error: unknown): UserError {
  return new UserError({ what: `Cannot write ${out}`, why: messageOf(error), fix: "Name another file with -o" });
}

function unusable(base: string, why: string): UserError {
  return new UserError({
    what: `Cannot pack with ${base} as the program`,
    why,
    fix: "Name a plain sandpiper binary with --target, and another file with -o",
  });
}
