// What of a tree belongs into a patch: all but what git ignores and does not have, and but `.git` itself.
import { type IgnoreLevel, isIgnored, levelOf, skips } from "../core/support/ignored.ts";
import {
  below,
  KIND,
  lengthIn,
  modeIn,
  nameIn,
  recordsIn,
  statusIn,
  type Tree,
  type TreeStatus,
} from "../core/support/tree.ts";

/** Paths that git has, and the folders that they lie in; byte strings. */
export interface Tracked {
  readonly files: ReadonlySet<string>;
  readonly folders: ReadonlySet<string>;
}

/** Makes the folders of some paths known, too. */
export function trackedOf(paths: Iterable<string>): Tracked {
  const files = new Set(paths);
  const folders = new Set<string>();
  for (const path of files) {
    for (let cut = path.lastIndexOf("/"); cut > 0; cut = path.lastIndexOf("/", cut - 1)) {
      const folder = path.slice(0, cut);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return { files, folders };
}

/** What a walk found. */
export interface Included {
  /** Files and links by their paths. */
  readonly entries: ReadonlyMap<string, TreeStatus>;
  /** Folders that nothing included lies in. */
  readonly emptyFolders: ReadonlySet<string>;
  /** Pipes, sockets, devices. */
  readonly special: readonly string[];
  /** Folders that may not be listed. */
  readonly closed: readonly string[];
}

interface Waiting {
  readonly path: string;
  readonly level: IgnoreLevel | undefined;
  /** What lies in it counts only where git has it. */
  readonly isIgnored: boolean;
}

/** Walks a tree. Throws where it has more than `most` files. */
export async function included(
  tree: Tree,
  tracked: Tracked,
  most: number,
  pause: () => Promise<void>,
): Promise<Included> {
  const entries = new Map<string, TreeStatus>();
  const emptyFolders = new Set<string>();
  const special: string[] = [];
  const closed: string[] = [];
  const folders: Waiting[] = [{ path: "", level: undefined, isIgnored: false }];
  for (let folder = folders.pop(); folder; folder = folders.pop()) {
    const records = recordsIn(tree, folder.path);
    if (records === undefined) {
      closed.push(folder.path);
      continue;
    }
    const level = levelOf(tree, folder.path, records, folder.level);
    if (records.length === 0 && folder.path !== "" && !folder.isIgnored) emptyFolders.add(folder.path);
    for (let at = 0; at < records.length; at += lengthIn(records.bytes, at)) {
      const name = nameIn(records.bytes, at);
      if (name === ".git") continue;
      const path = below(folder.path, name);
      const kind = modeIn(records.bytes, at) >> 12;
      if (kind === KIND.folder) {
        const out = folder.isIgnored || skips(level, path, name);
        if (!out || tracked.folders.has(path)) folders.push({ path, level, isIgnored: out });
        continue;
      }
      const isOut = folder.isIgnored || isIgnored(level, path, name, false);
      if (isOut && !tracked.files.has(path)) continue;
      if (kind !== KIND.file && kind !== KIND.link) special.push(path);
      else entries.set(path, statusIn(records, at));
      if (entries.size > most) throw new Error(`it has more than ${most} files`);
      await pause();
    }
  }
  return { entries, emptyFolders, special, closed };
}
