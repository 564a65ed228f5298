import { findGitRoot } from "../context/files/ancestors.ts";
import { isInside } from "../core/policy.ts";
import { attempt } from "../core/support/attempt.ts";
import { foldersOutOfReach, type ProgramFile, programFile } from "../sandbox/policy/program_files.ts";
import { readVariable, workingDirectory } from "./host_environment.ts";
import { toolPlaces } from "./tool_places.ts";

/**
 * PATH for a program that the host itself starts, unconfined: without directories in which tools of this or an earlier session
 * can have put a program under any name (`node_modules/.bin`), and without relative ones. Those are the workspaces and write
 * scopes of this process's sessions, the current directory, and the repositories around them.
 *
 * @param path PATH as it is.
 * @param more Other such directories; absolute.
 */
export function programPath(path: string, more: readonly string[] = []): string {
  if (Deno.build.os === "windows") return path;
  return foldersOutOfReach({ write: { all: false, list: reachable(more) }, env: { PATH: path } }).join(":");
}

/**
 * The file of a program that the host starts by its name, found as `programPath` says; or why there is none.
 *
 * @param all Tools can write everything: then it is not in a directory that this user can write, either.
 */
export function hostProgram(name: string, path: string, { all }: { readonly all: boolean }): ProgramFile {
  const isWindows = Deno.build.os === "windows";
  const write = { all: all && !isWindows, list: isWindows ? [] : reachable([]) };
  return programFile(name, { write, env: { PATH: programPath(path) } });
}

/** Real directories that tools can write; not one that holds the home, where the directories of PATH are protected. */
function reachable(more: readonly string[]): readonly string[] {
  const home = readVariable("HOME") ?? "/";
  const places = [...toolPlaces(), ...more, workingDirectory()];
  return [...new Set(places.flatMap((place) => [place, findGitRoot(place) ?? place]))]
    .map((place) => attempt(() => Deno.realPathSync(place)) ?? place)
    .filter((place) => place !== "/" && !isInside(home, place));
}
