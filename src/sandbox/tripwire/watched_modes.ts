// A command may close a folder to its owner: then nothing in it can be seen, taken away or put back. Modes come first.
import { isInside } from "../../core/policy.ts";
import { foldersAround } from "../system/folder_view.ts";
import { statusOf } from "../system/statx.ts";

/** What a folder's owner needs in order to see and change what is in it. */
const OWNER = 0o700;

/** A folder that is closed to its owner in a way in which it was not, and its mode before. */
export interface ClosedFolder {
  readonly path: string;
  readonly mode: number;
}

/** Watches modes. */
export interface WatchedModes {
  /** The modes of now are the user's own. */
  arm(): void;
  /** Outer ones first; what is behind one that is closed cannot be seen yet. */
  closed(): readonly ClosedFolder[];
}

/** Watches the modes of some folders, and of those around the roots: a command may change whatever the user owns. */
export function watchModes(roots: readonly string[], folders: readonly string[]): WatchedModes {
  const around = roots.flatMap((root) => [root, ...foldersAround(root)]);
  const paths = [...new Set([...around, ...folders])].sort((a, b) => a.length - b.length);
  let before: ReadonlyMap<string, number> = new Map();
  return {
    arm() {
      before = new Map(paths.flatMap((path) => {
        const mode = modeOf(path);
        return mode === undefined ? [] : [[path, mode]];
      }));
    },
    closed: () =>
      [...before].flatMap(([path, mode]) => {
        const now = modeOf(path);
        return now !== undefined && (mode & ~now & OWNER) !== 0 ? [{ path, mode }] : [];
      }),
  };
}

/** Does some work at a path, for which the folders between `root` and it are opened to their owner, and closed again. */
export function withOpenFolders<T>(path: string, root: string, work: () => T): T {
  const opened: ClosedFolder[] = [];
  for (const folder of [...foldersAround(path)].reverse().filter((folder) => isInside(folder, root))) {
    const status = statusOf(folder);
    if (status?.kind !== "folder" || status.uid !== Deno.uid() || (status.mode & OWNER) === OWNER) continue;
    Deno.chmodSync(folder, status.mode | OWNER);
    opened.push({ path: folder, mode: status.mode });
  }
  try {
    return work();
  } finally {
    // The inner ones first: behind an outer one that is closed they could not be reached.
    for (const { path: folder, mode } of opened.reverse()) {
      if (statusOf(folder)?.kind === "folder") Deno.chmodSync(folder, mode);
    }
  }
}

function modeOf(path: string): number | undefined {
  const status = statusOf(path);
  return status?.kind === "folder" ? status.mode : undefined;
}
