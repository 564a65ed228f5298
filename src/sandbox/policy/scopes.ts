import { coverage, isInside, type Scope } from "../../core/policy.ts";

/** A scope as written: `true` or a bare flag is everything, a list is that, `false` or an empty list is nothing. */
export type WrittenScope = boolean | readonly string[];

/** Nothing at all. */
export const NOTHING: Scope = { all: false, list: [] };

/** Everything. */
export const EVERYTHING: Scope = { all: true, list: [] };

/** What is written, as a scope; `absolute` gives all real and lexical paths that an entry stands for. */
export function readScope(written: WrittenScope, absolute: (entry: string) => readonly string[]): Scope {
  if (written === true) return EVERYTHING;
  if (written === false) return NOTHING;
  const list = unique(written.flatMap((entry) => [...absolute(entry)]));
  return list.includes("/") ? EVERYTHING : { all: false, list };
}

/**
 * What is written as a scope beside what holds without it: a list replaces that, as in Deno, but entries that begin with
 * `+` add to it, or to the others of their list.
 */
export function scopeBeside(
  written: WrittenScope,
  without: Scope,
  absolute: (entry: string) => readonly string[],
): Scope {
  if (typeof written === "boolean") return readScope(written, absolute);
  const isOnlyMore = written.length > 0 && written.every((entry) => entry.startsWith("+"));
  const scope = readScope(bareEntries(written), absolute);
  return isOnlyMore ? joinScopes(without, scope) : scope;
}

/** The entries of a list without the sign that they add. */
export function bareEntries(written: WrittenScope): WrittenScope {
  return typeof written === "boolean"
    ? written
    : written.map((entry) => entry.startsWith("+") ? entry.slice(1) : entry);
}

/** What either scope covers. */
export function joinScopes(a: Scope, b: Scope): Scope {
  if (a.all || b.all) return EVERYTHING;
  return b.list.length === 0 ? a : { all: false, list: unique([...a.list, ...b.list]) };
}

/** What both path scopes cover: of two folders the inner one. */
export function intersectPaths(a: Scope, b: Scope): Scope {
  if (a.all) return b;
  if (b.all) return a;
  const inner = (of: Scope, within: Scope): string[] =>
    of.list.filter((path) => within.list.some((folder) => isInside(path, folder)));
  return { all: false, list: unique([...inner(a, b), ...inner(b, a)]) };
}

/** What both scopes of names cover. */
export function intersectNames(a: Scope, b: Scope): Scope {
  if (a.all) return b;
  if (b.all) return a;
  return { all: false, list: a.list.filter((name) => b.list.includes(name)) };
}

/** The paths of a scope without those that a denial covers whole; a denial inside of a path stays for others to subtract. */
export function withoutDenied(scope: Scope, denied: readonly string[]): Scope {
  if (denied.includes("/")) return NOTHING;
  const isDenied = coverage({ all: false, list: denied });
  return { all: scope.all, list: scope.list.filter((path) => !isDenied(path)) };
}

/** The words of some lines. */
export function words(...lines: readonly string[]): string[] {
  return lines.flatMap((line) => line.split(" "));
}

/** Without repetitions, in order of first occurrence. */
export function unique(list: readonly string[]): string[] {
  return [...new Set(list)];
}
