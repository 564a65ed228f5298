import { join, resolve } from "@std/path";
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
  const head = readText(join(folders.own, "HEAD"), 4096);
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

/** What the `.git` of a checkout stands for. Undefined where it makes no sense, or leads to where nothing may be read. */
export function gitFolders(gitRoot: string): GitFolders | undefined {
  const git = join(gitRoot, ".git");
  if (!mayRead(git)) return undefined;
  // In a worktree and in a submodule `.git` is a file that names the real folder.
  const pointer = readText(git, 4096);
  const target = pointer.status === "loaded" ? /^gitdir: (.+)$/m.exec(pointer.text)?.[1] : ".git";
  if (target === undefined) return undefined;
  const own = resolve(gitRoot, target);
  if (!mayRead(own)) return undefined;
  const common = readText(join(own, "commondir"), 4096);
  const shared = common.status === "loaded" ? resolve(own, common.text.trim()) : own;
  return mayRead(shared) ? { own, shared } : undefined;
}

/** Asked before the disk is touched, so that a run with fewer permissions is not stopped by a question. */
export function mayRead(path: string): boolean {
  return Deno.permissions.querySync({ name: "read", path }).state === "granted";
}
