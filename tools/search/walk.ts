import type { Files } from "../../src/core/tool.ts";
import { type IgnoreLevel, isIgnored, levelOf, levelsAbove, listOrNothing } from "./ignore_levels.ts";

/** Something that a walk came across. */
export interface Found {
  readonly path: string;
  /** Relative to the folder where the walk began. */
  readonly relative: string;
  readonly name: string;
  readonly isDirectory: boolean;
  readonly isSymlink: boolean;
}

/** What a walk passes over besides ignored entries. */
export interface WalkOptions {
  /** The workspace: ignore files up to here count when there is no repository. */
  readonly workspace: string;
  /** Called for each folder before it is entered; `true` leaves it out, with all that is in it. */
  readonly prune?: (folder: Found) => boolean;
}

interface Pending {
  readonly path: string;
  readonly prefix: string;
  readonly above: IgnoreLevel | undefined;
}

/**
 * Everything below `root` that is not ignored, folders before their content, names in code unit order.
 *
 * Links are reported and not followed, `.git` and what cannot be listed is left out without a word: a search shows
 * what there is to see. The order does not depend on the file system, so that the same question has the same answer.
 */
export function* walk(files: Files, root: string, options: WalkOptions): Generator<Found, void, void> {
  const stack: (Pending | Found)[] = [
    { path: root, prefix: "", above: levelsAbove(files, root, options.workspace) },
  ];
  for (let next = stack.pop(); next; next = stack.pop()) {
    if ("name" in next) {
      yield next;
      continue;
    }
    const { path, prefix, above } = next;
    const entries = listOrNothing(files, path);
    const level = levelOf(files, path, entries, above);
    const base = path.endsWith("/") ? path : path + "/";
    const here: (Pending | Found)[] = [];
    const names = [...entries].sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const { name, isDirectory, isSymlink } of names) {
      if (name === ".git") continue;
      const isFolder = isDirectory && !isSymlink;
      const full = base + name;
      if (level && isIgnored(level, full, name, isFolder)) continue;
      const found: Found = { path: full, relative: prefix + name, name, isDirectory: isFolder, isSymlink };
      if (isFolder && options.prune?.(found)) continue;
      here.push(found);
      if (isFolder) here.push({ path: full, prefix: found.relative + "/", above: level });
    }
    for (let i = here.length - 1; i >= 0; i--) stack.push(here[i] as Pending | Found); // i is in range
  }
}
