// A workspace is often only a part of a checkout: a package of a repository, a linked worktree, a submodule. Its repository lies
// outside of the workspace then.
import { findRepository, type FoundRepository } from "../../core/support/git_repository.ts";
import { covers, isInside, type Policy } from "../../core/policy.ts";
import { join } from "@std/path";
import { canCall, disk } from "../system/disk.ts";
import type { FolderView } from "../system/folder_view.ts";
import { statusOf } from "../system/statx.ts";

/**
 * A policy with the repository that its workspace is a part of, if that lies outside of it: tools may read the repository, and
 * commands commit to it through a private layer where there are layers. The files of the checkout around the workspace stay out
 * of reach. Unchanged if no repository is found, or if it cannot be shown.
 */
export function withOuterRepository(policy: Policy, view: FolderView = disk): Policy {
  const found = outerRepository(policy, view);
  if (found === undefined || whyHidden(found, policy) !== undefined) return policy;
  const { read } = policy;
  // With the `.git` file that leads from the top of the checkout to the repository.
  const places = [found.common, join(found.top, ".git")].filter((path) => !covers(read, path));
  return {
    ...policy,
    outerGit: found,
    read: { ...read, list: [...read.list, ...places] },
    builtInRead: [...policy.builtInRead ?? [], ...places],
    // What is mounted between the workspace and the repository would end git's search.
    env: { ...policy.env, GIT_DISCOVERY_ACROSS_FILESYSTEM: "1" },
  };
}

/** The repository of a workspace, if it lies outside of it. */
export function outerRepository({ root, copyOf }: Policy, view: FolderView = disk): FoundRepository | undefined {
  // Without libc no command runs that could use it.
  if (copyOf !== undefined || !canCall()) return undefined;
  const found = findRepository(root, { ...view, deviceOf });
  return found === undefined || isInside(found.common, root) ? undefined : found;
}

/** Why commands do not see a repository around the workspace; undefined if they do. */
export function whyHidden(
  { top, own, common }: FoundRepository,
  { root, home, read, denyRead, sandbox }: Policy,
): "unread" | "home" | "other user" | "denied" | undefined {
  if (sandbox === "off" || !covers(read, root)) return "unread";
  // Its objects hold everything that is tracked of the home: that takes a grant.
  if (isInside(home, top) && !covers(read, common)) return "home";
  if ([own, common].some((path) => statusOf(path)?.uid !== Deno.uid())) return "other user";
  const isDenied = denyRead.some((path) => isInside(path, common) || isInside(common, path));
  return isDenied ? "denied" : undefined;
}

/** What tells the file system of a path apart: git looks for a repository in one of them only. */
export function deviceOf(path: string): string | undefined {
  return statusOf(path)?.identity.split(":").slice(0, 2).join(":");
}
