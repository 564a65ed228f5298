import { join, resolve } from "@std/path";
import type { GitFolders } from "./folders.ts";
import type { IndexEntry } from "./index.ts";
import { readText } from "../files/read_text.ts";

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
