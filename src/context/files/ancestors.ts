import { dirname, join } from "@std/path";
import { isInside } from "../../core/policy.ts";
import { attempt } from "../../core/support/attempt.ts";
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

/**
 * Finds the repositories around a path, which need not be around what it leads to: their real tops, the inner ones first. One
 * that holds the user's home is left out: links in it are the user's own. Each directory is looked at once.
 */
export function repositoriesAround(home: string): (path: string) => readonly string[] {
  const known = new Map<string, readonly string[]>();
  const realHome = attempt(() => Deno.realPathSync(home)) ?? home;
  const topsAt = (folder: string): readonly string[] => {
    const before = known.get(folder);
    if (before !== undefined) return before;
    // With few permissions of Deno some of these directories cannot be looked at.
    const top = attempt(() => isThere(join(folder, ".git")) ? Deno.realPathSync(folder) : undefined);
    const around = dirname(folder) === folder ? [] : topsAt(dirname(folder));
    const found = top === undefined || isInside(realHome, top) ? around : [top, ...around];
    known.set(folder, found);
    return found;
  };
  return (path) => topsAt(dirname(path));
}
