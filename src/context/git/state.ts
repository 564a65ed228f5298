// Whether tracked files have changes, from git's own files: no program runs, because a repository can make git run what
// it likes. Whatever is odd, large or slow is left unsaid.
import { join } from "@std/path";
import { headCommit, treeOfCommit } from "./commit.ts";
import { readGitConfig } from "./config.ts";
import { type GitFolders, gitFolders, mayRead } from "./folders.ts";
import { type GitIndex, readIndex } from "./index.ts";
import { treeIdOf } from "./tree_id.ts";
import { isWorktreeChanged } from "./worktree.ts";

/** What all of it may take, milliseconds: some 1,600 files take 10 to 25 in a process that has just started (decision 0020). */
const BUDGET_MS = 100;

/**
 * Whether a checkout has changes to tracked files, staged or not; undefined where that cannot be told in time. Never throws.
 *
 * Files that git does not track do not count, and submodules are not looked into.
 */
export function hasChanges(gitRoot: string, budgetMs = BUDGET_MS, now = () => performance.now()): boolean | undefined {
  return unlessThrown(() => {
    const folders = mayRead(gitRoot) ? gitFolders(gitRoot) : undefined;
    if (!folders) return undefined;
    const start = now();
    const check = (): void => {
      if (now() - start > budgetMs) throw new Error("The time is over");
    };
    const index = readIndex(join(folders.own, "index"), check);
    const config = readGitConfig(gitRoot, folders, index.entries);
    if (!config) return undefined;
    if (index.entries.some(({ isUnsettled }) => isUnsettled)) return true;
    const staged = unlessThrown(() => isStaged(folders, index, check));
    if (staged) return true;
    const changed = isWorktreeChanged(gitRoot, index, config, check);
    return changed || staged === false ? changed : undefined;
  });
}

/** Whether the index differs from the last commit. */
function isStaged(folders: GitFolders, index: GitIndex, check: () => void): boolean | undefined {
  const commit = headCommit(folders);
  if (commit === undefined) return undefined;
  if (commit === "unborn") return index.entries.length > 0 ? true : undefined;
  const committed = treeOfCommit(folders, commit, check);
  return committed === undefined ? undefined : committed !== (index.treeId ?? treeIdOf(index.entries, check));
}

/** For files that others wrote: every way in which they can be broken means the same. */
function unlessThrown<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
