import { join } from "@std/path";
import { isInside } from "../../core/policy.ts";
import type { FolderView } from "../system/folder_view.ts";

// Git's own data must stay writable for git to work; everything that makes git run something or look elsewhere must not
// change, because a later git outside of the sandbox would obey it. gitrepository-layout(5).

/** Names directly in a git folder that git writes in ordinary work: data, never configuration. */
const DATA = new RegExp(
  "^(?:" + [
    "objects|refs|logs|reftable|lfs|rr-cache|rebase-merge|rebase-apply|sequencer|worktrees|modules|svn|lost-found|info",
    "HEAD|index|packed-refs|[A-Z_]*_HEAD|COMMIT_EDITMSG|MERGE_[A-Z]+|SQUASH_MSG|AUTO_MERGE|TAG_EDITMSG|NOTES_EDITMSG",
    "BISECT_[A-Z_]+|shallow|gc\\.pid|gc\\.log|description|sharedindex\\.[0-9a-f]+|ORIG_HEAD|fsmonitor--daemon.*|branches",
    ".*\\.lock|.*\\.tmp|COMMIT_EDITMSG~|tmp_.*|\\.COMMIT_EDITMSG\\.sw.|next-index-\\d+\\.lock|COMMIT_EDITMSG\\.orig",
  ].join("|") + ")$",
);

/** Repositories' folders that commands write in layers alone. */
export interface Layered {
  readonly folders: readonly string[];
  /** Those in them that stay the machine's own. */
  readonly apart: readonly string[];
}

/** Where there are none. */
export const NOT_LAYERED: Layered = { folders: [], apart: [] };

/** Whether commands write a path in a layer alone. */
export function isUnderLayer(path: string, { folders, apart }: Layered): boolean {
  return folders.some((folder) => isInside(path, folder)) && !apart.some((folder) => isInside(path, folder));
}

/** Whether git writes an entry of this name directly in a repository's folder. */
export function isGitData(name: string): boolean {
  return DATA.test(name);
}

/** Names that are watched even while they are absent: each names a program or another place. */
const WATCHED = [
  ...["config", "config.worktree", "hooks", "commondir", "gitdir", "remotes", "branches"],
  // Of this folder only what git obeys: it also writes lists of references there.
  ...["info/attributes", "info/exclude", "info/grafts", "info/sparse-checkout"],
  // Where else to find objects: what lies there a later git would copy in.
  "objects/info/alternates",
];

/** Protected paths of the repository whose folder is `folder` (a `.git` or one below it), nested ones included. */
export function protectedInGit(folder: string, view: FolderView, depth = 4): string[] {
  const names = view.listFolder(folder);
  if (names === undefined || depth < 0) return [];
  const here = [...new Set([...WATCHED, ...names.filter((name) => !DATA.test(name))])].map((name) =>
    join(folder, name)
  );
  const nested = [
    ...repositoriesBelow(join(folder, "modules"), view, depth),
    ...(view.listFolder(join(folder, "worktrees")) ?? []).map((name) => join(folder, "worktrees", name)),
  ];
  return [...here, ...nested.flatMap((inner) => protectedInGit(inner, view, depth - 1))];
}

/** Submodules' folders are named after paths, so that one may lie several folders down. */
export function repositoriesBelow(folder: string, view: FolderView, depth: number): string[] {
  if (depth < 0) return [];
  return (view.listFolder(folder) ?? []).flatMap((name) => {
    const inner = join(folder, name);
    const names = view.listFolder(inner);
    if (names === undefined) return [];
    return names.includes("HEAD") ? [inner] : repositoriesBelow(inner, view, depth - 1);
  });
}

/** What a linked worktree needs outside of its own folder, and nothing when the link is not mutual. */
export interface WorktreeLink {
  /** The repository's folder, to read. */
  readonly common: string;
  /** What git writes there. */
  readonly writable: readonly string[];
  readonly protected: readonly string[];
}

/**
 * The repository that a workspace's `.git` file points to.
 *
 * The file is part of the workspace and may have been made to point anywhere, so the place that it names must point back.
 */
export function worktreeLink(root: string, view: FolderView): WorktreeLink | undefined {
  const target = pointer(view.readText(join(root, ".git")), "gitdir: ", root, view);
  if (target === undefined) return undefined;
  const back = pointer(view.readText(join(target, "gitdir")), "", target, view);
  const common = pointer(view.readText(join(target, "commondir")), "", target, view);
  if (back !== view.realPath(join(root, ".git")) || common === undefined) return undefined;
  if (!target.startsWith(join(common, "worktrees") + "/")) return undefined;
  return {
    common,
    // A grant of what is not there opens nothing.
    writable: [
      target,
      ...["objects", "refs", "logs", "packed-refs"].map((name) => join(common, name))
        .filter((path) => view.realPath(path) !== undefined),
    ],
    protected: protectedInGit(target, view, 0),
  };
}

/** The real path that a file of git names after `prefix`; undefined where it names none. */
export function pointer(text: string | undefined, prefix: string, from: string, view: FolderView): string | undefined {
  if (text === undefined || !text.startsWith(prefix)) return undefined;
  const path = text.slice(prefix.length).replace(/\r?\n$/, "");
  if (path === "" || path.includes("\n") || path.includes("\0")) return undefined;
  return view.realPath(path.startsWith("/") ? path : join(from, path));
}
