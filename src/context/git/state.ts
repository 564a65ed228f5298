// Whether tracked files have changes, from git's own files: no program runs, because a repository can make git run what
// it likes. Whatever is odd, large or slow is left unsaid.
import { join, resolve } from "@std/path";
import { headCommit, treeOfCommit } from "./commit.ts";
import { type GitIndex, type IndexEntry, readIndex, treeIdOf } from "./index.ts";
import { isWorktreeChanged } from "./worktree.ts";
import { type GitFolders, gitFolders, mayRead } from "./branch.ts";
import { readText } from "../files/read_text.ts";

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

/** What a repository's own settings say about its files. */
export interface GitConfig {
  /** The executable bit counts. */
  readonly hasFileMode: boolean;
  readonly hasLinks: boolean;
  /** A file's inode and time of change count, as git has it unless told otherwise. */
  readonly trustsInode: boolean;
  /** What git stores may be another text than the file's. */
  readonly hasFilters: boolean;
}

const MOST_BYTES = 64 * 1024;
/** A line with a setting that matters, whatever its section; the last one counts. */
const SETTING =
  /^[ \t]*(?:\[[^\]\n]*\][ \t]*)?(worktree|bare|objectformat|filemode|symlinks|trustctime|checkstat)[ \t]*=[ \t]*"?([^"\n]*)/gim;

/**
 * Reads the settings of a repository as text; nothing of the user's or the system's is looked at.
 *
 * Undefined where they cannot be read, or where the files lie elsewhere or are stored in a way that is not read here.
 */
export function readGitConfig(
  gitRoot: string,
  folders: GitFolders,
  entries: readonly IndexEntry[],
): GitConfig | undefined {
  const texts = [join(folders.shared, "config"), join(folders.own, "config.worktree")]
    .map((path) => readText(path, MOST_BYTES));
  if (texts.some((one) => one.status === "loaded" ? one.note : one.status !== "missing")) return undefined;
  const text = texts.map((one) => one.status === "loaded" ? one.text : "").join("\n");
  const setting = new Map(
    [...text.matchAll(SETTING)].map(([, name = "", value = ""]) => [name.toLowerCase(), value.trim()]),
  );
  // Neither holds for a worktree of that repository.
  if (folders.own === folders.shared) {
    const top = setting.get("worktree");
    if (setting.get("bare") === "true" || (top !== undefined && resolve(folders.own, top) !== gitRoot)) {
      return undefined;
    }
  }
  if ((setting.get("objectformat") ?? "sha1") !== "sha1") return undefined;
  return {
    hasFileMode: setting.get("filemode") === "true",
    hasLinks: setting.get("symlinks") !== "false",
    trustsInode: setting.get("trustctime") !== "false" && setting.get("checkstat") !== "minimal",
    hasFilters: /autocrlf|attributesfile|filter|include/i.test(text) ||
      entries.some(({ path }) => path.endsWith(".gitattributes")) ||
      [join(gitRoot, ".gitattributes"), join(folders.shared, "info/attributes")].some((path) =>
        readText(path).status !== "missing"
      ),
  };
}
