import { dirname } from "@std/path";

/** A folder and all above it, the filesystem root first. */
export function ancestorsOf(folder: string): readonly string[] {
  const found = [folder];
  for (let at = folder; dirname(at) !== at; at = dirname(at)) found.unshift(dirname(at));
  return found;
}

/** The nearest folder, upwards, that holds a `.git`. Every level without one costs a thrown error. */
export function findGitRoot(folder: string): string | undefined {
  return ancestorsOf(folder).findLast((at) => exists(at.endsWith("/") ? `${at}.git` : `${at}/.git`));
}

function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
