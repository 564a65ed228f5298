import { dirname, join, resolve } from "@std/path";
import { isInside } from "../../core/policy.ts";
import { attempt } from "../../core/support/attempt.ts";
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
  const git = join(gitRoot, ".git");
  if (!mayRead(git)) return undefined;
  // In a worktree and in a submodule `.git` is a file that names the real folder.
  const pointer = readText(git, 4096);
  const target = pointer.status === "loaded" ? /^gitdir: (.+)$/m.exec(pointer.text)?.[1] : ".git";
  if (target === undefined) return undefined;
  const named = resolve(gitRoot, target);
  if (!mayRead(named)) return undefined;
  const [root, own] = [realPath(gitRoot), realPath(named)];
  if (root === undefined || own === undefined) return undefined;
  const common = readText(join(own, "commondir"), 4096);
  if (common.status === "loaded") {
    const shared = realPath(resolve(own, common.text.trim()));
    const isWorktree = shared !== undefined && mayRead(shared) && isInside(own, join(shared, "worktrees")) &&
      pointsBack(own, root);
    return isWorktree ? { own, shared } : undefined;
  }
  return isInside(own, root) || isSubmodule(own, root) ? { own, shared: own } : undefined;
}

/** Whether a linked worktree's own directory names its checkout: gitrepository-layout(5), gitdir. */
function pointsBack(own: string, root: string): boolean {
  const back = readText(join(own, "gitdir"), 4096);
  return back.status === "loaded" && realPath(dirname(resolve(own, back.text.trim()))) === root;
}

/** Whether a submodule's own directory, in the repository around it, names its checkout: gitsubmodules(7). */
function isSubmodule(own: string, root: string): boolean {
  const config = readText(join(own, "config"), MAX_CONFIG_BYTES);
  const worktree = config.status === "loaded"
    ? /^[ \t]*worktree[ \t]*=[ \t]*"?(.+?)"?[ \t]*$/m.exec(config.text)?.[1]
    : undefined;
  return worktree !== undefined && own.includes("/modules/") && realPath(resolve(own, worktree)) === root;
}

/** Of a repository's settings. */
const MAX_CONFIG_BYTES = 64 * 1024;

function realPath(path: string): string | undefined {
  return attempt(() => Deno.realPathSync(path));
}

/** Asked before the disk is touched, so that a run with fewer permissions is not stopped by a question. */
export function mayRead(path: string): boolean {
  return Deno.permissions.querySync({ name: "read", path }).state === "granted";
}
