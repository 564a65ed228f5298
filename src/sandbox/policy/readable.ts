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
  const byFirst = Map.groupBy(names, (name) => name.split("/", 1)[0] ?? "");
  return [...byFirst].flatMap(([first, group]) => {
    if (!there.has(first)) return [];
    const inner = group.filter((name) => name.length > first.length + 1).map((name) => name.slice(first.length + 1));
    if (inner.length < WORTH_LISTING) return group.map((name) => `${folder}/${name}`);
    const own = inner.length < group.length ? [`${folder}/${first}`] : [];
    return [...own, ...presentBelow(`${folder}/${first}`, inner, list)];
  });
}

/**
 * Entries of PATH, and what is installed around a `bin`: but no folder that may hold more than one program's things. In
 * the home only the parts of it that are programs: a project with a `bin` has its own settings and keys beside it.
 */
function prefixes(facts: ReadableFacts): string[] {
  const entries = (facts.env["PATH"] ?? "").split(":").filter((entry) => entry.startsWith("/"));
  return real(entries, facts.realPath).flatMap((entry) => {
    const around = dirname(entry);
    const depth = around.split("/").length - 1;
    const installed = basename(entry) === "bin" && depth >= 2 && dirname(around) !== facts.home &&
      !isInside(facts.home, around);
    if (installed) return isInside(around, facts.home) ? [entry, ...partsOf(around, facts)] : [around];
    return entry === "/" ? [] : [entry];
  });
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
