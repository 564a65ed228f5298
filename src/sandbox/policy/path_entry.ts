import { basename, dirname, join, normalize } from "@std/path";
import { UserError } from "../../core/error.ts";
import { isInside } from "../../core/policy.ts";
import { isWindowsPath } from "../../core/support/text.ts";

/** The part of the facts that tells where links lead. */
export type RealPath = (path: string) => string | undefined;

/** Turns entries of scopes into absolute paths. */
export interface PathReader {
  /**
   * What a grant means: the real place, however the entry leads there. Throws UserError for an entry inside `root` that a link
   * leads out of it: tools can have put the link there.
   */
  readonly granted: (entry: string) => readonly string[];
  /** What a denial means: the place, and the name that leads there. */
  readonly denied: (entry: string) => readonly string[];
}

/** A reader for entries that count from `root`, `~/` from `home`. */
export function pathReader(root: string, home: string, realPath: RealPath): PathReader {
  const realRoot = realOf(root, realPath);
  const lexical = (entry: string): string => {
    if (entry === "" || entry.includes("\0")) {
      throw new UserError({
        what: "Cannot read a path of a scope",
        why: entry === "" ? "it is empty" : "it holds a NUL character",
        fix: "Name a file or folder, for example --allow-read=src",
      });
    }
    if (entry === "~" || entry.startsWith("~/")) return trim(join(home, entry.slice(1)));
    return trim(normalize(entry.startsWith("/") || isWindowsPath(entry) ? entry : join(root, entry)));
  };
  return {
    granted: (entry) => {
      const path = lexical(entry);
      const real = realOf(path, realPath);
      if (isInside(path, root) && !isInside(real, realRoot)) throw linkOutside(entry, real, realRoot);
      return [real];
    },
    denied: (entry) => {
      const path = lexical(entry);
      const real = realOf(path, realPath);
      return real === path ? [path] : [real, path];
    },
  };
}

function linkOutside(entry: string, real: string, root: string): UserError {
  return new UserError({
    what: `Cannot use "${entry}" in a scope`,
    why: `a link in it leads to "${real}", which is outside of ${root}`,
    fix: `Name ${real} itself if you mean it, or remove the link`,
  });
}

/** The real path, also of what is not there yet: the deepest folder that is there decides. */
export function realOf(path: string, realPath: RealPath): string {
  const real = realPath(path);
  // The top of a disk, which on Windows may be one that is not there.
  if (real !== undefined || dirname(path) === path || dirname(path) === ".") return real ?? path;
  return join(realOf(dirname(path), realPath), basename(path));
}

function trim(path: string): string {
  return path.length > 1 ? path.replace(/\/+$/, "") || "/" : path;
}

/** The real path of a folder that must be there; throws UserError when it is not. */
export function realFolder(path: string, name: string, realPath: RealPath): string {
  const real = realPath(path);
  if (real !== undefined) return real;
  throw new UserError({
    what: `Cannot use the ${name} ${path}`,
    why: "there is nothing at this path, or it may not be read",
    fix: "Start from a folder that exists",
  });
}
