import { join } from "@std/path";
import { attempt } from "../../core/support/attempt.ts";
import { checkoutAt, type RepositoryView } from "../../core/support/git_repository.ts";
import { entryAt } from "../../core/support/on_disk.ts";
import { findGitRoot } from "../files/ancestors.ts";
import { readText } from "../files/read_text.ts";

/**
 * The branch of the repository that holds `folder`, from git's own files: no program runs, because a repository can
 * make git run what it likes.
 *
 * A detached head reads `detached at 1a2b3c4`. Undefined where there is no repository or its files make no sense.
 */
export function readGitBranch(folder: string, findRoot = () => findGitRoot(folder)): string | undefined {
  const gitRoot = findRoot();
  const folders = gitRoot && gitFolders(gitRoot);
  if (!folders) return undefined;
  const path = join(folders.own, "HEAD");
  const head = readText(path, 4096, entryAt(path));
  // Git reads a link there by its own text alone, and writes none any more.
  if (head.status !== "loaded") return undefined;
  const branch = /^ref: refs\/heads\/(\S+)\s*$/.exec(head.text)?.[1];
  // What a repository with the reftable store writes there, where only git's own reader finds the branch.
  if (branch === ".invalid") return undefined;
  if (branch) return branch;
  const commit = /^([0-9a-f]{40}|[0-9a-f]{64})\s*$/.exec(head.text)?.[1];
  return commit && `detached at ${commit.slice(0, 7)}`;
}

/** Where git keeps what belongs to one checkout (`HEAD`, `index`) and what its worktrees share (objects, refs). */
export interface GitFolders {
  readonly own: string;
  readonly shared: string;
}

/**
 * What the `.git` of a checkout stands for. Undefined where it makes no sense, or leads to where nothing may be read.
 *
 * A `.git` that leads out of the checkout counts only if the repository there names this checkout (a linked worktree, a
 * submodule): a directory that tools or a download made must not show another repository's branch.
 */
export function gitFolders(gitRoot: string): GitFolders | undefined {
  const top = VIEW.realPath(gitRoot);
  const found = top === undefined ? undefined : checkoutAt(top, VIEW);
  return found === undefined || found === "invalid" ? undefined : { own: found.own, shared: found.common };
}

/** Of a file of git's that names a place, or of settings. */
const MAX_BYTES = 64 * 1024;

const VIEW: RepositoryView = {
  realPath: (path) => mayRead(path) ? attempt(() => Deno.realPathSync(path)) : undefined,
  listFolder: (path) => mayRead(path) ? attempt(() => [...Deno.readDirSync(path)].map(({ name }) => name)) : undefined,
  readText(path) {
    const read = mayRead(path) ? readText(path, MAX_BYTES) : undefined;
    return read?.status === "loaded" ? read.text : undefined;
  },
};

/** Asked before the disk is touched, so that a run with fewer permissions is not stopped by a question. */
export function mayRead(path: string): boolean {
  return Deno.permissions.querySync({ name: "read", path }).state === "granted";
}
