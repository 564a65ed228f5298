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

function quietly<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
