// Whether tracked files have changes, from git's own files: no program runs, because a repository can make git run what
// it likes. Whatever is odd, large or slow is left unsaid.
import { join } from "@std/path";
import { headCommit, treeOfCommit } from "./git_commit.ts";
import { readGitConfig } from "./git_config.ts";
import { type GitFolders, gitFolders, mayRead } from "./git_folders.ts";
import { type GitIndex, readIndex } from "./git_index.ts";
import { treeIdOf } from "./git_tree_id.ts";
import { isWorktreeChanged } from "./git_worktree.ts";

/** What looking at the files may take, milliseconds; what comes before takes some 4 in a process that has just started. */
const BUDGET_MS = 8;
/** So many files take less on any disk that is not slow: they have more time, for a machine that does other things as well. */
const FEW_FILES = 256;
const MORE_TIME = 5;

/**
 * Whether a checkout has changes to tracked files, staged or not; undefined where that cannot be told in time. Never throws.
 *
 * Files that git does not track do not count, and submodules are not looked into.
 */
export function hasChanges(gitRoot: string, budgetMs = BUDGET_MS, now = () => performance.now()): boolean | undefined {
  return unlessThrown(() => {
    const folders = mayRead(gitRoot) ? gitFolders(gitRoot) : undefined;
    if (!folders) return undefined;
    const index = readIndex(join(folders.own, "index"));
    const config = readGitConfig(gitRoot, folders, index.entries);
    if (!config) return undefined;
    if (index.entries.some(({ isUnsettled }) => isUnsettled)) return true;
    const start = now();
    let steps = 0;
    const check = (): void => {
      if (now() - start > budgetMs * (++steps > FEW_FILES ? 1 : MORE_TIME)) throw new Error("The time is over");
    };
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
  const committed = treeOfCommit(folders, commit);
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
