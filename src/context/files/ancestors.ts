import { dirname, join } from "@std/path";
import { isThere } from "../../core/support/on_disk.ts";

/** A folder and all above it, the filesystem root first. */
export function ancestorsOf(folder: string): readonly string[] {
  const found = [folder];
  for (let at = folder; dirname(at) !== at; at = dirname(at)) found.unshift(dirname(at));
  return found;
}

/** The folders `.agents/skills` from the git root, else the workspace, down to the workspace; need not exist. */
export function sharedSkillFolders(root: string, findRoot = () => findGitRoot(root)): readonly string[] {
  const top = findRoot() ?? root;
  return ancestorsOf(root).filter((folder) => folder.length >= top.length).map((folder) =>
    join(folder, ".agents/skills")
  );
}

/** The nearest folder, upwards, that holds a `.git`. Every level without one costs a thrown error. */
export function findGitRoot(folder: string): string | undefined {
  return ancestorsOf(folder).findLast((at) => isThere(at.endsWith("/") ? `${at}.git` : `${at}/.git`));
}
