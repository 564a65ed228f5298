// The policy of a trial: that of the workspace, with a private copy in its place. The workspace itself stays readable where it was
// and cannot be written, whatever is granted.
import { UserError } from "../../core/error.ts";
import { isInside, type Policy } from "../../core/policy.ts";
import { worktreeLink } from "../../sandbox/git/paths.ts";
import { protectedPaths } from "../../sandbox/policy/protected_paths.ts";
import { unique } from "../../sandbox/policy/scopes.ts";
import type { FolderView } from "../../sandbox/system/folder_view.ts";

/** Where a trial is. */
export interface TrialFolders {
  /** The private copy. */
  readonly copy: string;
  /** What the program keeps beside it: neither readable nor writable for tools. */
  readonly kept: string;
}

/** Puts the copy in the workspace's place. `isStart`: what may be written elsewhere was not granted on the way, and is refused. */
export function trialPolicy(policy: Policy, { copy, kept }: TrialFolders, view: FolderView, isStart: boolean): Policy {
  const { root: workspace, home, tmp, cache } = policy;
  const moved = (path: string): string => isInside(path, workspace) ? copy + path.slice(workspace.length) : path;
  const both = (list: readonly string[]): string[] => unique(list.flatMap((path) => [moved(path), path]));
  const link = worktreeLink(workspace, view);
  // The copy of a linked working folder has a repository of its own.
  const write = policy.write.list.filter((path) => !link?.writable.includes(path)).map(moved);
  const outside = write.filter((path) => ![copy, tmp, cache].some((folder) => isInside(path, folder)));
  if (isStart) {
    if (policy.sandbox === "off") throw refused("nothing would keep tools out of the workspace with --sandbox off");
    if (isInside(home, workspace)) throw refused("the workspace is your home folder, or holds it");
    if (policy.write.all) throw refused("tools may write everywhere, and only the workspace is copied");
    if (!write.some((path) => isInside(path, copy))) throw refused("tools may write nothing in the workspace");
    if (outside[0] !== undefined) throw refused(`tools may write ${outside[0]}, and only the workspace is copied`);
  }
  const isOwnGit = (path: string): boolean => path === `${workspace}/.git`;
  return {
    ...policy,
    root: copy,
    copyOf: workspace,
    // A folder that is yet to be made is made in the copy.
    read: {
      ...policy.read,
      list: both(policy.read.list).filter((path) => !isInside(path, workspace) || view.realPath(path) !== undefined),
    },
    // A grant on the way may be of everything: the workspace is left out of it by a denial.
    write: { ...policy.write, list: unique(write) },
    denyRead: unique([...both(policy.denyRead), kept]),
    denyWrite: unique([...both(policy.denyWrite), kept, workspace]),
    deniedFor: {
      asked: both(policy.deniedFor?.asked ?? []),
      own: unique([...both(policy.deniedFor?.own ?? []), kept]),
    },
    protected: unique([
      ...protectedPaths(copy, view, home),
      ...policy.protected.filter((path) => !isOwnGit(path)).map(moved),
    ]),
    env: { ...policy.env, PWD: copy },
  };
}

function refused(why: string): UserError {
  return new UserError({
    what: "There can be no trial",
    why,
    fix: "Leave --trial out, or what widens or takes away the write scope: see docs/trial.md",
  });
}
