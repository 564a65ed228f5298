import { basename, dirname } from "@std/path";
import type { FolderView } from "./git_paths.ts";

const LONGEST_TEXT = 64 * 1024;

/** This machine's disk, as policy resolution and confinement look at it; nothing that is missing or refused throws. */
export const disk: FolderView = {
  realPath: (path) => quietly(() => Deno.realPathSync(path)),
  listFolder: (path) => quietly(() => [...Deno.readDirSync(path)].map((entry) => entry.name).sort()),
  readText: (path) =>
    quietly(() => {
      const info = Deno.statSync(path);
      return info.isFile && info.size <= LONGEST_TEXT ? Deno.readTextFileSync(path) : undefined;
    }),
};

/**
 * The disk as it is now, for one decision: most of the paths that a policy asks for do not exist, a failed look costs as
 * much as thirty that succeed, and one listing of a folder answers for all names in it. Never keep it.
 */
export function glanceAtDisk(): FolderView {
  const listings = new Map<string, ReadonlySet<string> | undefined>();
  const names = (folder: string): ReadonlySet<string> | undefined => {
    if (!listings.has(folder)) {
      // A folder that is itself missing is known from its parent's listing, all the way up.
      const list = exists(folder) ? disk.listFolder(folder) : undefined;
      listings.set(folder, list && new Set(list));
    }
    return listings.get(folder);
  };
  const exists = (path: string): boolean => {
    if (path === "/" || !path.startsWith("/")) return true;
    const parent = dirname(path);
    if (!exists(parent)) return false;
    // A folder that cannot be listed may still hold what was asked for.
    return names(parent)?.has(basename(path)) ?? true;
  };
  return {
    realPath: (path) => exists(path) ? disk.realPath(path) : undefined,
    listFolder: (path) => exists(path) ? disk.listFolder(path) : undefined,
    readText: (path) => exists(path) ? disk.readText(path) : undefined,
  };
}

function quietly<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
