import { join } from "@std/path";
import { messageOf, UserError } from "../core/error.ts";
import type { Pack } from "../core/pack.ts";
import { sha256 as digestOf } from "../core/support/digest.ts";
import { contentsOf, decodeIndex, type PackIndex, readArchive } from "./archive.ts";
import { findArchive, openReadable } from "./carrier.ts";
import { unpack, type UnpackHost } from "./unpack.ts";

/** A binary's archive, all of it compared with its digests. */
export interface ReadPack {
  readonly index: PackIndex;
  readonly fingerprint: string;
  readonly contents: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
}

/** Exit code of a binary that is damaged: it is not the one that was asked for. */
const DAMAGED = 2;

/** Reads what was packed into a binary; undefined: nothing. Throws UserError for one that is damaged. */
export function readPack(path: string): ReadPack | undefined {
  let why: string;
  try {
    using file = openReadable(path);
    const place = findArchive(file);
    if (place.list === undefined) return undefined;
    const { list, contents } = readArchive(file, place);
    const index = decodeIndex(list);
    if (file.size - (place.end - place.start) !== index.base.bytes) throw new Error("its program is not whole");
    return { index, fingerprint: digestOf(list), contents: contentsOf(index, contents) };
  } catch (error) {
    why = messageOf(error);
  }
  throw damaged(path, why);
}

/** For a binary that is not as it was packed. */
export function damaged(path: string, why: string): UserError {
  return new UserError({
    what: `${path} does not start`,
    why,
    fix: "Get the file again, or pack it anew",
    exitCode: DAMAGED,
  });
}

/** Enough to tell packs apart: the folder is compared with the archive at each start. Short, because prompts hold it. */
const FOLDER_DIGITS = 12;

/**
 * What was packed into the program that is running; undefined: nothing. Its files are unpacked below the first of `places`
 * that can be written. Throws UserError for a binary that is damaged.
 */
export function carriedPack(
  program: string,
  places: () => readonly (() => string | undefined)[],
  host: UnpackHost,
): Pack | undefined {
  const read = readPack(program);
  if (read === undefined) return undefined;
  const { index: { base: _, ...index }, fingerprint, contents } = read;
  let folder: string | undefined;
  return {
    ...index,
    fingerprint,
    folder: () => folder ??= place(index.files, contents, fingerprint.slice(0, FOLDER_DIGITS), places(), host),
  };
}

function place(
  files: PackIndex["files"],
  contents: ReadPack["contents"],
  name: string,
  places: readonly (() => string | undefined)[],
  host: UnpackHost,
): string {
  let why = "HOME names no folder";
  for (const placeOf of places) {
    try {
      const place = placeOf();
      if (place === undefined) continue;
      unpack(files, contents, join(place, name), host);
      return join(place, name);
    } catch (error) {
      why = messageOf(error);
    }
  }
  throw new UserError({
    what: "What is packed into the program cannot be unpacked",
    why,
    fix: "Set HOME or XDG_CACHE_HOME to a folder that can be written",
    exitCode: 3,
  });
}
