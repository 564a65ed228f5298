import { basename, dirname } from "@std/path";
import { libc } from "./ffi.ts";
import { foldersAround, type FolderView } from "./folder_view.ts";
import { readRegular } from "./regular_file.ts";
import { type Looks, noteRealPath, recordLooks, statusOf } from "./statx.ts";

const LONGEST_TEXT = 64 * 1024;

/** An empty part of a path, or one that is `.` or `..`. */
const UNTIDY = /\/\.{0,2}(?:\/|$)/;

/** This machine's disk, as policy resolution and confinement look at it; nothing that is missing or refused throws. */
export const disk: FolderView = {
  realPath: (path) => {
    const real = quietly(() => Deno.realPathSync(path));
    noteRealPath(path, real);
    return real;
  },
  listFolder: (path) => {
    noteRealPath(path, undefined);
    return quietly(() => [...Deno.readDirSync(path)].map((entry) => entry.name).sort());
  },
  readLink: (path) => {
    noteRealPath(path, undefined);
    return quietly(() => Deno.readLinkSync(path));
  },
  readText: (path) =>
    quietly(() => {
      // Looked at first, since a failed attempt costs ten looks.
      if (canCall() && statusOf(path) === undefined) return undefined;
      const real = disk.realPath(path);
      const info = real === undefined ? undefined : Deno.statSync(real);
      if (real === undefined || !info?.isFile || info.size > LONGEST_TEXT) return undefined;
      if (!canCall()) return Deno.readTextFileSync(real);
      const bytes = readRegular(real, LONGEST_TEXT);
      return bytes && new TextDecoder().decode(bytes);
    }),
};

/** Whether this system and this process have libc; where not, no command runs that could swap what is read. */
function canCall(): boolean {
  if (Deno.build.os !== "linux") return false;
  try {
    return libc() !== undefined;
  } catch {
    return false;
  }
}

/** The disk as it was at one moment. */
export interface Glance extends FolderView {
  /** Whether all that was looked at is surely as it was. Text is not looked at: what was read of it may be old. */
  isStill(): boolean;
}

/** A change so shortly before a look may have the same time as one right after it: clocks of file systems are slow. */
const SURELY_OLDER_MS = 1_000;

/**
 * The disk as it is now, for one decision: one listing of a folder answers for all names in it, for most of the paths that
 * a policy asks for do not exist, and a failed look costs as much as thirty that succeed. Never keep it without asking
 * whether it `isStill`.
 *
 * @param likely Paths that are there in all likelihood: the system is asked for each, and not for all that lies beside it.
 */
export function glanceAtDisk(likely: readonly string[] = []): Glance {
  // A process that may not read everything cannot list the folders on the way to what it may read.
  if (Deno.permissions.querySync({ name: "read" }).state !== "granted") return { ...disk, isStill: () => false };
  /** Names in a folder (by its real path) and what they are; undefined when it cannot be listed. */
  const listings = new Map<string, ReadonlyMap<string, Deno.DirEntry> | undefined>();
  const known = new Map<string, string | undefined>();
  /** Of each folder before it was listed; undefined where there was none. */
  const stamps = new Map<string, string | undefined>();
  /** Where the system itself was asked; of those with no link in them, that there is none is asked of all parts at once. */
  const asked = new Map<string, string | undefined>();
  let ways: Looks | undefined;
  let isCertain = canCall();
  const note = (folder: string): void => {
    if (!isCertain) return;
    const status = statusOf(folder);
    stamps.set(folder, status?.stamp);
    isCertain = status === undefined || Date.now() - status.changedMs > SURELY_OLDER_MS;
  };
  const expected = new Set(likely);
  const askSystem = (path: string): string | undefined => {
    const real = disk.realPath(path);
    asked.set(path, real);
    return real;
  };
  const list = (folder: string): ReadonlyMap<string, Deno.DirEntry> | undefined => {
    if (!listings.has(folder)) {
      const isFile = isKnownFile(folder);
      if (!isFile) note(folder);
      const entries = isFile ? undefined : quietly(() => [...Deno.readDirSync(folder)]);
      listings.set(folder, entries && new Map(entries.map((entry) => [entry.name, entry])));
    }
    return listings.get(folder);
  };
  const isKnownFile = (path: string): boolean => listings.get(dirname(path))?.get(basename(path))?.isFile === true;
  const realPath = (path: string): string | undefined => {
    if (path === "/") return path;
    if (!path.startsWith("/") || UNTIDY.test(path)) return askSystem(path);
    if (!known.has(path)) known.set(path, expected.has(path) ? askSystem(path) : lookUp(path));
    // Where a path is real, the folders around it are.
    const real = known.get(path);
    if (expected.has(path) && real === path) { for (const folder of foldersAround(path)) known.set(folder, folder); }
    return real;
  };
  const lookUp = (path: string): string | undefined => {
    const parent = realPath(dirname(path));
    if (parent === undefined) return undefined;
    const name = basename(path);
    const entry = list(parent)?.get(name);
    // A folder that cannot be listed may still hold what was asked for.
    if (entry === undefined) return list(parent) ? undefined : askSystem(path);
    return entry.isSymlink ? askSystem(path) : `${parent === "/" ? "" : parent}/${name}`;
  };
  return {
    realPath,
    listFolder: (path) => {
      const real = realPath(path);
      const names = real === undefined ? undefined : list(real);
      return names && [...names.keys()].sort();
    },
    readText: (path) => realPath(path) === undefined ? undefined : disk.readText(path),
    readLink: (path) => realPath(dirname(path)) === undefined ? undefined : quietly(() => Deno.readLinkSync(path)),
    isStill() {
      if (!isCertain || ![...stamps].every(([folder, stamp]) => statusOf(folder)?.stamp === stamp)) return false;
      ways ??= recordLooks(() => asked.forEach((real, path) => real === path && noteRealPath(path, real)));
      return ways.areStill() && [...asked].every(([path, real]) => path === real || disk.realPath(path) === real);
    },
  };
}

function quietly<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
