import { join } from "@std/path";
import { findGitRoot } from "../files/ancestors.ts";
import { gitFolders } from "./folders.ts";
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
