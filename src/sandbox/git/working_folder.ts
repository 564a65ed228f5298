// A repository writes its files where its setting core.worktree says. git itself sets it for submodules; whatever else it
// names would let a later git of the user write there what a command committed.
import { join } from "@std/path";
import { isInside, type Policy } from "../../core/policy.ts";
import { disk } from "../system/disk.ts";
import type { FolderView } from "../system/folder_view.ts";
import { statusOf } from "../system/statx.ts";
import { pointer } from "./paths.ts";

/**
 * Whether the repository in `folder` may have its files at a place, as its setting writes it: in the workspace, with no link
 * on the way, in no repository's own folder and around nothing that is protected, and with a `.git` file that names the
 * repository in turn.
 */
export function isWorkingFolder(
  place: string,
  folder: string,
  { root, protected: kept }: Pick<Policy, "root" | "protected">,
  repositories: readonly string[],
  view: FolderView = disk,
): boolean {
  const path = pathOf(place, folder);
  if (path === undefined || !isInside(path, root) || linkOnTheWay(place, folder) !== undefined) return false;
  const file = join(path, ".git");
  if (statusOf(path)?.kind !== "folder" || statusOf(file)?.kind !== "file") return false;
  if (pointer(view.readText(file), "gitdir: ", path, view) !== folder) return false;
  // git checks out nothing below a ".git", and what is below its own folder under another name.
  const isAround = isInside(folder, path) && !hasGit(folder.slice(path.length));
  return !isAround && !hasGit(path) && !repositories.some((other) => isInside(path, other)) &&
    // Of a submodule that is known its own ".git" is.
    !kept.some((protectedPath) => isInside(protectedPath, path) && protectedPath !== file);
}

/** Whether nothing is at a place in the workspace, as the setting of the repository in `folder` writes it. */
export function isMissingPlace(place: string, folder: string, root: string): boolean {
  const path = pathOf(place, folder);
  return path !== undefined && isInside(path, root) && !hasGit(path) && linkOnTheWay(place, folder) === undefined &&
    statusOf(path) === undefined;
}

/** The outermost link on the way to a place; undefined where there is none, or the place is not written plainly. */
export function linkOnTheWay(place: string, folder: string): string | undefined {
  const path = pathOf(place, folder);
  if (path === undefined) return undefined;
  let at = "";
  for (const name of path.split("/").slice(1)) {
    at += `/${name}`;
    if (statusOf(at)?.kind === "link") return at;
  }
  return undefined;
}

/**
 * Where a place is; undefined unless it is written in the one way that cannot be read otherwise: from a link on "/.." leads
 * elsewhere than without, and what is no text is another path for git than for us.
 */
function pathOf(place: string, folder: string): string | undefined {
  if (place === "" || place.startsWith("~") || /[\p{Cc}\ufffd]/u.test(place)) return undefined;
  const rest = place.startsWith("/") ? place : place.replace(/^(?:\.\.\/)+/, "");
  if (rest.split("/").some((part) => part === ".." || part === ".")) return undefined;
  return place.startsWith("/") ? join(place) : join(folder, place);
}

function hasGit(path: string): boolean {
  return path.toLowerCase().split("/").includes(".git");
}
