import { findGitRoot } from "../context/files/ancestors.ts";
import { foldersOutOfReach } from "../sandbox/policy/program_files.ts";

/**
 * PATH for a program that the host itself starts, unconfined: without folders in `places` or the repositories around them, where
 * a command of an earlier session can have put a program under any name (`node_modules/.bin`). Relative folders are left out too.
 *
 * @param places Directories that tools of this or an earlier session may write; absolute.
 */
export function programPath(path: string, places: readonly string[]): string {
  if (Deno.build.os === "windows") return path;
  const list = places.flatMap((place) => [place, findGitRoot(place) ?? place])
    .map((place) => Deno.realPathSync(place)).filter((place) => place !== "/");
  return foldersOutOfReach({ write: { all: false, list }, env: { PATH: path } }).join(":");
}
