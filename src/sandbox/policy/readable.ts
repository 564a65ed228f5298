import { basename, dirname, join } from "@std/path";
import { isInside } from "../../core/policy.ts";
import { foldersAround, type FolderView } from "../system/folder_view.ts";
import {
  HOME_PREFIXES,
  HOME_TOOLCHAINS,
  PARTS_BY_PROGRAM,
  PREFIX_PARTS,
  SYSTEM_DATA,
  SYSTEM_PROGRAMS,
  SYSTEM_SETTINGS,
  SYSTEM_SETTINGS_PREFIXES,
} from "./system_paths.ts";

/** What is needed to find system and toolchain paths. */
export interface ReadableFacts extends Pick<FolderView, "realPath" | "listFolder"> {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
}

/** System and toolchain paths that are there, real, none inside another. */
export function toolchainPaths(facts: ReadableFacts): string[] {
  const versioned = (facts.listFolder("/etc") ?? [])
    .filter((name) => SYSTEM_SETTINGS_PREFIXES.some((prefix) => name.startsWith(prefix)))
    .map((name) => `/etc/${name}`);
  const all = [
    ...systemPaths(facts.realPath),
    ...real(versioned, facts.realPath),
    ...real(presentBelow(facts.home, HOME_TOOLCHAINS, facts.listFolder), facts.realPath),
    ...homePrefixes(facts).flatMap((prefix) => partsOf(prefix, facts)),
    ...prefixes(facts),
  ];
  return outermost(all.filter((path) => !isInside(facts.home, path)));
}

/** The system's part alone, which no process can do without. */
export function systemPaths(realPath: ReadableFacts["realPath"]): string[] {
  return real([...SYSTEM_PROGRAMS, ...SYSTEM_SETTINGS, ...SYSTEM_DATA], realPath);
}

function real(paths: readonly string[], realPath: ReadableFacts["realPath"]): string[] {
  return paths.flatMap((path) => realPath(path) ?? []);
}

/** So many names below one folder are worth a listing of it. */
const WORTH_LISTING = 4;

/**
 * The names of a list that may be there, as paths: those whose first parts are there.
 *
 * One listing answers for a hundred names of which most are missing, and asking for a missing one is slow.
 */
export function presentBelow(
  folder: string,
  names: readonly string[],
  list: ReadableFacts["listFolder"],
): string[] {
  const there = new Set(list(folder) ?? []);
  const base = folder === "/" ? "" : folder;
  const byFirst = Map.groupBy(names, (name) => name.split("/", 1)[0] ?? "");
  return [...byFirst].flatMap(([first, group]) => {
    if (!there.has(first)) return [];
    const inner = group.filter((name) => name.length > first.length + 1).map((name) => name.slice(first.length + 1));
    if (inner.length < WORTH_LISTING) return group.map((name) => `${base}/${name}`);
    const own = inner.length < group.length ? [`${base}/${first}`] : [];
    return [...own, ...presentBelow(`${base}/${first}`, inner, list)];
  });
}

/**
 * Entries of PATH, and what is installed around a `bin`: but no folder that may hold more than one program's things. In
 * the home only the parts of it that are programs, and what links in an entry lead to: a project with a `bin` has its own
 * settings and keys beside it.
 */
function prefixes(facts: ReadableFacts): string[] {
  const entries = (facts.env["PATH"] ?? "").split(":").filter((entry) => entry.startsWith("/"));
  const around = entries.flatMap((entry) => {
    const folder = facts.realPath(entry);
    if (folder === undefined || isInside(facts.home, folder)) return [];
    const top = dirname(folder);
    const depth = top.split("/").length - 1;
    const isInstalled = basename(folder) === "bin" && depth >= 2 && !isInside(facts.home, top);
    if (!isInside(folder, facts.home)) return [isInstalled ? top : folder];
    return [folder, ...isInstalled ? partsOf(top, facts) : []];
  });
  const open = outermost([
    ...around,
    ...real(presentBelow(facts.home, HOME_TOOLCHAINS, facts.listFolder), facts.realPath),
  ]);
  const linked = entries.flatMap((entry) => programLinks(entry, facts)).flatMap(({ target, folder }) =>
    open.some((path) => isInside(target, path)) ? [] : programTree(target, folder, facts) ?? []
  );
  return [...around, ...linked];
}

/** More names than an entry of PATH for one user's programs has. */
const MOST_PROGRAMS = 1_000;

/** Links in an entry of PATH that lead to another place in the home. */
function programLinks(entry: string, facts: ReadableFacts): { readonly target: string; readonly folder: string }[] {
  const folder = facts.realPath(entry);
  if (folder === undefined || isInside(facts.home, folder)) return [];
  if (!isInside(folder, facts.home) && folder !== "/usr/local/bin") return [];
  return (facts.listFolder(folder) ?? []).slice(0, MOST_PROGRAMS).flatMap((name) => {
    const target = facts.realPath(join(folder, name));
    return target === undefined || isInside(target, folder) || !isInside(target, facts.home)
      ? []
      : [{ target, folder }];
  });
}

/** Folders of a prefix that hold settings or data, and no programs. */
const NO_PROGRAMS = /^(?:\..*|etc|conf|config|data|run|secrets?|tmp|var)$/;

/**
 * The folders that a program loads from, by how installers lay them out: around a file that a link in an entry of PATH leads
 * to. Undefined where the layout is not known; the file alone is no program then, because what it loads is missing.
 *
 * @param target The file: real, in the home.
 * @param folder The entry of PATH: real.
 */
export function programTree(target: string, folder: string, facts: ReadableFacts): readonly string[] | undefined {
  const below = target.slice(facts.home.length + 1).split("/");
  const upTo = (name: string): string | undefined => {
    const at = below.indexOf(name);
    return at < 1 ? undefined : join(facts.home, ...below.slice(0, at + 1));
  };
  for (const name of ["node_modules", "site-packages", "dist-packages", "vendor"]) {
    const tree = upTo(name);
    if (tree !== undefined) return [tree];
  }
  const gems = upTo("gems");
  if (gems !== undefined) {
    return real(["gems", "specifications", "extensions"].map((name) => join(dirname(gems), name)), facts.realPath);
  }
  // A virtual environment, and whatever else has its programs in a `bin` and their parts beside it.
  const around = dirname(target);
  const prefix = dirname(around);
  const isPrefix = basename(around) === "bin" && prefix !== facts.home && isInside(prefix, facts.home);
  if (isPrefix) return [around, ...partsOf(prefix, facts)];
  const top = dirname(folder);
  const [first = "", ...rest] = isInside(target, top) ? target.slice(top.length + 1).split("/") : [];
  const isBeside = top !== facts.home && isInside(top, facts.home) && rest.length > 0 && !NO_PROGRAMS.test(first);
  return isBeside ? [join(top, first)] : undefined;
}

function homePrefixes({ home, listFolder }: ReadableFacts): string[] {
  return presentBelow(home, HOME_PREFIXES, listFolder).flatMap((path) => {
    if (!path.endsWith("/*")) return [path];
    const folder = dirname(path);
    return (listFolder(folder) ?? []).map((name) => join(folder, name));
  });
}

/** Programs and what they load, of a folder that is laid out as `/usr` is. */
function partsOf(prefix: string, { listFolder, realPath }: ReadableFacts): string[] {
  const programs = new Set(listFolder(join(prefix, "bin")) ?? []);
  const more = Object.entries(PARTS_BY_PROGRAM).flatMap(([name, parts]) => programs.has(name) ? parts : []);
  const parts = real(presentBelow(prefix, [...PREFIX_PARTS, ...more], listFolder), realPath);
  // A link among them may lead to where anything lies.
  return parts.filter((path) => isInside(path, prefix));
}

/** The paths that lie in no other one of the list. */
export function outermost(paths: readonly string[]): string[] {
  const list = new Set(paths);
  return [...list].filter((path) => !foldersAround(path).some((folder) => list.has(folder)));
}
