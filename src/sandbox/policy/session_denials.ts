import { UserError } from "../../core/error.ts";
import { covers, isInside, type Scope } from "../../core/policy.ts";
import { realOf, type RealPath } from "./path_entry.ts";
import { unique } from "./scopes.ts";

/** What this program keeps of sessions, as denials. */
export interface KeptPaths {
  /** Denied to tools for reading and writing: the places, and the names that lead there. */
  readonly denied: readonly string[];
  /** Folders that hold a place of the tools' own as well, and so cannot be denied. */
  readonly around: readonly string[];
}

/** Sorts files and folders that are kept by whether one of the tools' own `places` (real) lies in them. */
export function keptPaths(kept: readonly string[], places: readonly string[], realPath: RealPath): KeptPaths {
  const paths = unique(kept.flatMap((path) => [path, realOf(path, realPath)]));
  const isAround = (path: string): boolean => places.some((place) => isInside(place, path));
  return { denied: paths.filter((path) => !isAround(path)), around: paths.filter(isAround) };
}

/** Throws UserError where tools would reach what is kept: it lies beside the files that they work on. */
export function refuseKeptAround({ around }: KeptPaths, scopes: readonly Scope[]): void {
  const open = around.find((path) => scopes.some((scope) => covers(scope, path)));
  if (open === undefined) return;
  throw new UserError({
    what: `Cannot keep sessions in ${open}`,
    why: "tools work in this folder, and what is kept of a session is not theirs to read or change",
    fix: `Name a folder for sessions alone: --session-dir ${open === "/" ? "" : open}/sessions`,
  });
}
