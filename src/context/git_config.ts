import { join, resolve } from "@std/path";
import type { GitFolders } from "./git_folders.ts";
import type { IndexEntry } from "./git_index.ts";
import { readText } from "./read_text.ts";

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
  const setting = (name: string): string | undefined =>
    [...text.matchAll(new RegExp(`^[ \\t]*(?:\\[[^\\]\\n]*\\][ \\t]*)?${name}[ \\t]*=[ \\t]*"?([^"\\n]*)`, "gim"))]
      .at(-1)?.[1]?.trim();
  // Neither holds for a worktree of that repository.
  if (folders.own === folders.shared) {
    const top = setting("worktree");
    if (setting("bare") === "true" || (top !== undefined && resolve(folders.own, top) !== gitRoot)) return undefined;
  }
  if ((setting("objectformat") ?? "sha1") !== "sha1") return undefined;
  return {
    hasFileMode: setting("filemode") === "true",
    hasLinks: setting("symlinks") !== "false",
    trustsInode: setting("trustctime") !== "false" && setting("checkstat") !== "minimal",
    hasFilters: /autocrlf|attributesfile|filter|include/i.test(text) ||
      entries.some(({ path }) => /(?:^|\/)\.gitattributes$/.test(path)) ||
      [join(gitRoot, ".gitattributes"), join(folders.shared, "info/attributes")].some((path) =>
        readText(path).status !== "missing"
      ),
  };
}
