import { compileGlob } from "../../src/core/support/glob.ts";

/** Tells by a path relative to the searched folder whether it is meant. */
export type PathFilter = (path: string, name: string) => boolean;

/** The two uses of the `glob` argument: keep only these files, or leave these files and folders out. */
export interface GlobFilter {
  readonly excludes: boolean;
  readonly matches: PathFilter;
}

/**
 * Reads grep's `glob`: without a slash it is about names in any folder, with one about paths from the searched folder;
 * `!` in front leaves out what matches.
 */
export function globFilter(glob: string): GlobFilter {
  const excludes = glob.startsWith("!");
  const text = relativeGlob(excludes ? glob.slice(1) : glob);
  const isFolder = text.endsWith("/");
  const pattern = isFolder && !excludes ? text + "**" : text.replace(/\/$/, "");
  const regex = compileGlob(pattern.replace(/^\//, ""), { braces: true });
  const byName = !pattern.includes("/");
  return { excludes, matches: (path, name) => regex.test(byName ? name : path) };
}

/**
 * Reads find's `pattern`: without a slash it is about names, with one about paths at any depth. A pattern without
 * capital letters does not care about case. A slash at its end asks for folders.
 */
export function namePattern(
  pattern: string,
  root: string,
): { readonly foldersOnly: boolean; readonly matches: PathFilter } {
  const base = root.endsWith("/") ? root : root + "/";
  const isFromRoot = pattern.startsWith(base);
  const text = relativeGlob(isFromRoot ? pattern.slice(base.length) : pattern);
  const foldersOnly = text.endsWith("/");
  const bare = foldersOnly ? text.slice(0, -1) : text;
  const ignoreCase = bare === bare.toLowerCase();
  const byName = !bare.includes("/") && !isFromRoot;
  const glob = byName || isFromRoot ? bare : bare.startsWith("/") ? bare.slice(1) : `**/${bare}`;
  const regex = compileGlob(glob, { braces: true, ignoreCase });
  return { foldersOnly, matches: (path, name) => regex.test(byName ? name : path) };
}

function relativeGlob(glob: string): string {
  return glob.trim().replace(/^(?:\.\/)+/, "");
}
