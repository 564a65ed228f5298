// Whether tracked files have changes, from git's own files: no program runs, because a repository can make git run what
// it likes. Whatever is odd, large or slow is left unsaid.
import { dirname, join, resolve } from "@std/path";
import { createHash } from "node:crypto";
import { attempt } from "../../core/support/attempt.ts";
import { lookAt, openRegular, readText, sliceOf } from "../files/read_text.ts";
import { type GitFolders, gitFolders, mayRead } from "./branch.ts";
import { headCommit, treeOfCommit } from "./commit.ts";
import { type GitIndex, type IndexEntry, readIndex, treeIdOf } from "./index.ts";

/** What all of it may take, milliseconds: some 1,600 files take 10 to 25 in a process that has just started (decision 0020). */
const BUDGET_MS = 100;

/**
 * Whether a checkout has changes to tracked files, staged or not; undefined where that cannot be told in time. Never throws.
 *
 * Files that git does not track do not count, and submodules are not looked into.
 */
export function hasChanges(gitRoot: string, budgetMs = BUDGET_MS, now = () => performance.now()): boolean | undefined {
  return attempt(() => {
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
    const staged = attempt(() => isStaged(folders, index, check));
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

/** Larger files are not read. */
const MOST_FILE_BYTES = 1024 * 1024;

const LINK = 0o120000;
const SUBMODULE = 0o160000;

/**
 * Whether a tracked file differs from the index; undefined where one might. Submodules are not looked into.
 *
 * Throws for what may not be read; `check` is called for each file and may throw.
 */
export function isWorktreeChanged(
  root: string,
  index: GitIndex,
  config: GitConfig,
  check: () => void,
): boolean | undefined {
  const folders = new Set(["."]);
  let unknown = false;
  for (const entry of index.entries) {
    check();
    if (entry.isSkipped || entry.mode === SUBMODULE) continue;
    if (!isReached(root, dirname(entry.path), folders)) return true;
    const changed = isChanged(`${root}/${entry.path}`, entry, index.writtenMs, config);
    if (changed) return true;
    unknown ||= changed === undefined;
  }
  return unknown ? undefined : false;
}

/** Whether real folders lead there: what lies behind a link is no tracked file, and may be outside of the checkout. */
function isReached(root: string, folder: string, known: Set<string>): boolean {
  if (known.has(folder)) return true;
  if (!isReached(root, dirname(folder), known)) return false;
  if (!lookAt(`${root}/${folder}`)?.isDirectory) return false;
  known.add(folder);
  return true;
}

function isChanged(path: string, entry: IndexEntry, writtenMs: number, config: GitConfig): boolean | undefined {
  const info = lookAt(path);
  if (!info) return true;
  const isLink = entry.mode === LINK;
  // A system without links has files in their place.
  if (isLink && info.isFile && !config.hasLinks) return undefined;
  if (isLink ? !info.isSymlink : !info.isFile) return true;
  const { size } = entry.stat;
  // With 0, git may also mean that it has not looked at the file yet.
  if (size !== 0 && size !== info.size % 2 ** 32) return true;
  if (!isLink && config.hasFileMode && isProgram(info.mode ?? 0) !== isProgram(entry.mode)) return true;
  if (isAsRecorded(info, entry, writtenMs, config)) return false;
  return isLink ? isOtherLink(path, entry) : isOtherContent(path, info, entry, config);
}

function isProgram(mode: number): boolean {
  return (mode & 0o100) !== 0;
}

/** Whether the file's data are those that the index has, and were taken safely before the index was written. */
function isAsRecorded(info: Deno.FileInfo, { stat }: IndexEntry, writtenMs: number, config: GitConfig): boolean {
  if (stat.size !== info.size % 2 ** 32 || !info.mtime) return false;
  const unitMs = stat.wholeSeconds ? 1000 : 1;
  const mtime = Math.floor(info.mtime.getTime() / unitMs);
  if (mtime !== Math.floor(stat.mtimeMs / unitMs) || mtime >= Math.floor(writtenMs / unitMs)) return false;
  if (!config.trustsInode) return true;
  const inode = (info.ino ?? 0) % 2 ** 32;
  const ctime = Math.floor((info.ctime?.getTime() ?? 0) / 1000);
  return (stat.inode === 0 || inode === 0 || inode === stat.inode) &&
    (stat.ctimeSeconds === 0 || ctime === 0 || ctime === stat.ctimeSeconds);
}

function isOtherLink(path: string, entry: IndexEntry): boolean | undefined {
  const target = Deno.readLinkSync(path);
  if (isBlob(new TextEncoder().encode(target), entry)) return false;
  return target.includes("\ufffd") ? undefined : true;
}

function isOtherContent(
  path: string,
  info: Deno.FileInfo,
  entry: IndexEntry,
  config: GitConfig,
): boolean | undefined {
  if (info.size > MOST_FILE_BYTES) return undefined;
  using file = openRegular(path);
  const content = sliceOf(file, 0, info.size);
  if (isBlob(content, entry)) return false;
  // What git stores may be made from the file: by filters, or by taking carriage returns away.
  return config.hasFilters || content.includes(13) ? undefined : true;
}

function isBlob(content: Uint8Array, { id }: IndexEntry): boolean {
  return createHash("sha1").update(`blob ${content.length}\0`).update(content).digest().equals(id);
}
