import { join } from "@std/path";
import { messageOf, UserError } from "../core/error.ts";
import type { PackedFile } from "../core/pack.ts";
import { sha256 as digestOf } from "../core/support/digest.ts";
import { misfitOf, PACK_LIMITS } from "./archive.ts";

/** A file that goes into a pack. */
export interface GatheredFile extends PackedFile {
  readonly content: Uint8Array<ArrayBuffer>;
}

/** A file or a folder on disk, and where in the pack it goes. */
export interface Source {
  /** Absolute. */
  readonly from: string;
  /** Below `skills`, `templates`, `agents` or `extensions`. */
  readonly to: string;
}

/**
 * Reads everything below some sources. Names that begin with a dot are left out, and what is neither a file nor a folder
 * is refused: a link could lead anywhere. Throws UserError for that, for a file that changes meanwhile, and past the bounds.
 */
export function gatherFiles(sources: readonly Source[]): readonly GatheredFile[] {
  const files: GatheredFile[] = [];
  let bytes = 0;
  const visit = (from: string, to: string, within: string): void => {
    const { isDirectory, isFile } = look(from);
    if (isDirectory) {
      const entries = orRefused(from, "Make it readable, or leave it out", () => [...Deno.readDirSync(from)]);
      for (const { name } of entries) if (!name.startsWith(".")) visit(join(from, name), `${to}/${name}`, within);
      return;
    }
    if (!isFile) {
      throw refused(from, "it is neither a file nor a folder", "Copy the file itself there, or leave it out");
    }
    const { content, isProgram } = readWhole(from, within);
    bytes += content.length;
    if (files.length >= PACK_LIMITS.files || bytes > PACK_LIMITS.bytes) {
      const most = `${PACK_LIMITS.files} files or ${PACK_LIMITS.bytes / 2 ** 20} MB`;
      throw refused(from, `a pack has at most ${most}`, "Leave something out");
    }
    files.push({
      ...{ path: to, bytes: content.length, sha256: digestOf(content), content },
      ...(isProgram ? { isProgram: true } : {}),
    });
  };
  for (const { from, to } of sources) {
    visit(
      from,
      to,
      orRefused(from, "Name what is there", () => Deno.realPathSync(from)),
    );
  }
  files.sort((a, b) => a.path < b.path ? -1 : 1);
  const why = misfitOf(files);
  if (why !== undefined) throw refused("the files", why, "Rename or leave out what is named");
  return files;
}

/** Reads a file that is inside of `within` before and after, and the same one. */
function readWhole(
  path: string,
  within: string,
): { readonly content: Uint8Array<ArrayBuffer>; readonly isProgram: boolean } {
  const before = look(path);
  if (before.size > PACK_LIMITS.fileBytes) {
    throw refused(path, `it has more than ${PACK_LIMITS.fileBytes / 2 ** 20} MB`, "Leave it out");
  }
  const swapped = () => refused(path, "it changed while it was read", "Pack again when nothing writes there");
  try {
    using file = Deno.openSync(path);
    const opened = file.statSync();
    if (!isSame(before, opened)) throw swapped();
    const content = new Uint8Array(before.size);
    for (let filled = 0; filled < content.length;) {
      const count = file.readSync(content.subarray(filled));
      if (!count) throw swapped();
      filled += count;
    }
    const isLonger = file.readSync(new Uint8Array(1)) !== null;
    const real = Deno.realPathSync(path);
    if (isLonger || !isSame(before, file.statSync()) || !isSame(before, look(path))) throw swapped();
    if (real !== within && !real.startsWith(`${within}/`)) throw swapped();
    return { content, isProgram: ((before.mode ?? 0) & 0o111) !== 0 };
  } catch (error) {
    throw error instanceof UserError ? error : refused(path, messageOf(error), "Make it readable, or leave it out");
  }
}

function isSame(a: Deno.FileInfo, b: Deno.FileInfo): boolean {
  return a.isFile && b.isFile && a.dev === b.dev && a.ino === b.ino && a.size === b.size &&
    a.mtime?.getTime() === b.mtime?.getTime();
}

function look(path: string): Deno.FileInfo {
  return orRefused(path, "Name what is there", () => Deno.lstatSync(path));
}

function orRefused<T>(path: string, fix: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw refused(path, messageOf(error), fix);
  }
}

/** For what cannot be packed. */
export function refused(path: string, why: string, fix: string): UserError {
  return new UserError({ what: `Cannot pack ${path}`, why, fix });
}
