import { basename, dirname, resolve } from "@std/path";
import { attempt } from "../../core/support/attempt.ts";
import { libc } from "./ffi.ts";
import { foldersAround, type FolderView } from "./folder_view.ts";
import { readRegular } from "./regular_file.ts";
import { type PathStatus, statusOf } from "./statx.ts";

const LONGEST_TEXT = 64 * 1024;

/** An empty part of a path, or one that is `.` or `..`. */
const UNTIDY = /\/\.{0,2}(?:\/|$)/;

/** The target of a link that can be followed by its text alone: steps up come first, where they lead through no other link. */
const TIDY_TARGET = /^(?:\/|(?:\.\.\/)*)(?!\.{0,2}(?:\/|$))[^/]+(?:\/(?!\.{0,2}(?:\/|$))[^/]+)*$/;
const MOST_LINKS = 4;
/** A path that must be left to the system. */
const NOT_FOLLOWED = Symbol();

/** This machine's disk, as policy resolution and confinement look at it; nothing that is missing or refused throws. */
export const disk: FolderView = {
  realPath: (path) => attempt(() => Deno.realPathSync(path)),
  listFolder: (path) => attempt(() => [...Deno.readDirSync(path)].map((entry) => entry.name).sort()),
  isFile: (path) => attempt(() => Deno.lstatSync(path).isFile) ?? false,
  readLink: (path) => attempt(() => Deno.readLinkSync(path)),
  readText: (path) =>
    attempt(() => {
      const info = Deno.statSync(path);
      if (!info.isFile || info.size > LONGEST_TEXT) return undefined;
      if (!canCall()) return Deno.readTextFileSync(path);
      const bytes = readRegular(Deno.realPathSync(path), LONGEST_TEXT);
      return bytes && new TextDecoder().decode(bytes);
    }),
};

/** Whether this system and this process have libc; where not, no command runs that could swap what is read. */
export function canCall(): boolean {
  if (Deno.build.os !== "linux") return false;
  return attempt(() => libc() !== undefined) ?? false;
}

/** The disk as it was at one moment. */
export interface Glance extends FolderView {
  /** Whether all that was looked at is surely as it was. Text is not looked at: what was read of it may be old. */
  isStill(): boolean;
}

/** Where a file system counts whole seconds, ... */
const SECOND_MS = 1_000;
/** ... and where it counts what the kernel's clock does, which ticks every ten milliseconds at the slowest. */
const TICKS_MS = 100;

/** Whether a change at that time has surely another time than one that comes now: clocks of file systems are slow. */
export function isSurelyOlder(changedMs: number, now: number): boolean {
  return now - changedMs > (changedMs % SECOND_MS === 0 ? SECOND_MS : TICKS_MS);
}

/** Whether what changed then may have changed once more since, at the same time by its clock. */
export function isFresh(changedMs: number): boolean {
  return !isSurelyOlder(changedMs, Date.now());
}

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
  /** Each folder as it was before it was listed; undefined where there was none. */
  const listed: Seen[] = [];
  /** Where the system itself was asked, and what it said; only where no steps tell it. */
  const asked = new Map<string, string | undefined>();
  /** What stood at paths, and at those on the way to them, that were followed step by step. */
  const steps = new Map<string, PathStatus | undefined>();
  /** The same by the folders that they are in, each folder as it was before any of its names was looked at. */
  const ways = new Map<string, Way>();
  /** The same, for what is asked thrice in each call: to walk through a map makes an object for each entry. */
  const wayList: Way[] = [];
  const wayIn = (folder: string): Way => {
    const known = ways.get(folder);
    if (known !== undefined) return known;
    const status = statusOf(folder);
    const isSure = status?.kind === "folder" && !isFresh(status.changedMs);
    const way = { path: folder, status, isSure, names: [] };
    ways.set(folder, way);
    wayList.push(way);
    return way;
  };
  let isCertain = canCall();
  const note = (folder: string): void => {
    if (!isCertain) return;
    const status = statusOf(folder);
    listed.push({ path: folder, status });
    isCertain = status === undefined || !isFresh(status.changedMs);
  };
  const expected = new Set(likely);
  const askSystem = (path: string): string | undefined => {
    const followed = isCertain ? follow(path) : NOT_FOLLOWED;
    if (followed !== NOT_FOLLOWED) return followed;
    const real = disk.realPath(path);
    asked.set(path, real);
    return real;
  };
  const stepAt = (path: string): PathStatus | undefined => {
    if (!steps.has(path)) {
      const { names } = wayIn(dirname(path));
      const status = statusOf(path);
      steps.set(path, status);
      names.push({ path, status });
    }
    return steps.get(path);
  };
  /** Where a path leads, by looking at each name on its way: whether that is still so is told without following it again. */
  const follow = (path: string, links = MOST_LINKS): string | undefined | typeof NOT_FOLLOWED => {
    // Links of /proc lead elsewhere without a change of theirs.
    if (!path.startsWith("/") || UNTIDY.test(path) || path.includes("\0") || path.startsWith("/proc/")) {
      return NOT_FOLLOWED;
    }
    for (const folder of foldersAround(path)) {
      const kind = stepAt(folder)?.kind;
      if (kind === undefined) return undefined;
      if (kind !== "folder") return NOT_FOLLOWED;
    }
    const status = stepAt(path);
    if (status?.kind !== "link") return status && path;
    const target = links > 0 ? attempt(() => Deno.readLinkSync(path)) : undefined;
    // The text of a link never changes: this is the link that was looked at, or there is no telling.
    if (target === undefined || statusOf(path)?.stamp !== status.stamp || !TIDY_TARGET.test(target)) {
      return NOT_FOLLOWED;
    }
    return follow(resolve(dirname(path), target), links - 1);
  };
  const list = (folder: string): ReadonlyMap<string, Deno.DirEntry> | undefined => {
    if (!listings.has(folder)) {
      const isFile = isKnownFile(folder);
      if (!isFile) note(folder);
      const entries = isFile ? undefined : attempt(() => [...Deno.readDirSync(folder)]);
      listings.set(folder, entries && new Map(entries.map((entry) => [entry.name, entry])));
    }
    return listings.get(folder);
  };
  const isKnownFile = (path: string): boolean => listings.get(dirname(path))?.get(basename(path))?.isFile === true;
  const isFile = (path: string): boolean => {
    const parent = realPath(dirname(path));
    return parent !== undefined && list(parent)?.get(basename(path))?.isFile === true;
  };
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
    isFile,
    readText: (path) => realPath(path) === undefined ? undefined : disk.readText(path),
    readLink: (path) => realPath(dirname(path)) === undefined ? undefined : attempt(() => Deno.readLinkSync(path)),
    isStill: () =>
      isCertain && listed.every(isSameFolder) && wayList.every(isSameWay) &&
      (asked.size === 0 || [...asked].every(([path, real]) => disk.realPath(path) === real)),
  };
}

/** What stood at a path. */
interface Seen {
  readonly path: string;
  readonly status: PathStatus | undefined;
}

function isSameFolder({ path, status }: Seen): boolean {
  const now = statusOf(path);
  return now === status || now?.stamp === status?.stamp;
}

/** Names in a folder on the way to something. */
interface Way extends Seen {
  /** Whether the folder's times tell whether names in it are what they were: who makes, removes or replaces one sets them. */
  readonly isSure: boolean;
  readonly names: Seen[];
}

function isSameWay(way: Way): boolean {
  return (way.isSure && isSameFolder(way)) || way.names.every(isSameStep);
}

/** Whether a path leads where it led: a number of an inode may be given again, to a link for instance. */
function isSameStep({ path, status: was }: Seen): boolean {
  const now = statusOf(path);
  if (now === was) return true;
  return now !== undefined && now.kind === was?.kind &&
    (now.kind === "link" ? now.stamp === was.stamp : now.identity === was.identity);
}
