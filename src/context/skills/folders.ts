import { basename, dirname, join, resolve } from "@std/path";
import { isInside } from "../../core/policy.ts";
import { attempt } from "../../core/support/attempt.ts";
import { entryAt, isFolder } from "../../core/support/on_disk.ts";
import type { NamedFiles } from "../../core/named_files.ts";
import type { Diagnostic } from "../../core/prompt.ts";
import { sharedSkillFolders } from "../files/ancestors.ts";
import type { BootstrapPlaces } from "../files/bootstrap_file.ts";
import { type PackedFolder, withPacked } from "../files/config_folders.ts";

/** A SKILL.md as it lies there, read or not. */
export interface SkillFile {
  readonly path: string;
  /** Of the name itself, where it is a link. */
  readonly info: Deno.FileInfo;
  /** The real directory of the skill, if the way to it leads through a link. */
  readonly linkedTo?: string;
}

/** What a search below one folder found. */
export interface SkillSearch {
  /** SKILL.md files, by path. */
  readonly found: readonly SkillFile[];
  /** Folders that were not entered, with the reason. */
  readonly refused: readonly { readonly path: string; readonly reason: string }[];
}

/** How far a search goes: below that, a folder of skills is something else. */
const SEARCH_LIMITS: SearchLimits = { depth: 4, entries: 20_000, skills: 2_000 };

/** Bounds of a search: levels below its folder, names looked at, skills found. */
export interface SearchLimits {
  readonly depth: number;
  readonly entries: number;
  readonly skills: number;
}

/**
 * Finds every SKILL.md below a folder; a folder that has one is a skill and is not searched further. Never throws.
 *
 * @param followLinks Whether a linked folder may lie outside `root`: yes for the user's own, no for a project's.
 */
export function findSkillFiles(
  root: string,
  followLinks: boolean,
  limits = SEARCH_LIMITS,
  linkProblem: SkillOptions["linkProblem"] = () => undefined,
): SkillSearch {
  const found: SkillFile[] = [];
  const refused: { path: string; reason: string }[] = [];
  const visited = new Set<string>();
  let entries = 0;
  /** `linked`: the real path of `folder`, if it lies behind a link below `root`. */
  const visit = (folder: string, depth: number, linked?: string): void => {
    // Paths are put together by hand here: a thousand skills are found before the first request.
    const path = `${folder}/SKILL.md`;
    const info = entryAt(path);
    if (info) {
      const why = info.isSymlink ? linkProblem(path) : undefined;
      if (why !== undefined) return void refused.push({ path, reason: why });
      return void found.push({ path, info, ...(linked === undefined ? {} : { linkedTo: linked }) });
    }
    if (depth >= limits.depth) return;
    for (const entry of list(folder, refused)) {
      if (++entries > limits.entries || found.length >= limits.skills) {
        if (!refused.some((one) => one.path === root)) refused.push({ path: root, reason: LIMIT_REASON });
        return;
      }
      if (!(entry.isDirectory || entry.isSymlink) || entry.name.startsWith(".") || entry.name === "node_modules") {
        continue;
      }
      const path = `${folder}/${entry.name}`;
      let inner = linked === undefined ? undefined : `${linked}/${entry.name}`;
      if (entry.isSymlink) {
        const target = linkTarget(path, visited);
        if (target === undefined) continue;
        const reason = !followLinks && !isBelow(target, root) ? OUTSIDE : linkProblem(path);
        if (reason !== undefined) {
          refused.push({ path, reason });
          continue;
        }
        inner = target;
      }
      visit(path, depth + 1, inner);
    }
  };
  visit(resolve(root), 0);
  return { found: found.sort((a, b) => a.path < b.path ? -1 : 1), refused };
}

const LIMIT_REASON = `the search ended after ${SEARCH_LIMITS.skills} skills or ${SEARCH_LIMITS.entries} entries. ` +
  "Move what is no skill out of this folder";

function list(folder: string, refused: { path: string; reason: string }[]): Deno.DirEntry[] {
  try {
    // Names are sorted because folders list in another order on every file system.
    return [...Deno.readDirSync(folder)].sort((a, b) => a.name < b.name ? -1 : 1);
  } catch (error) {
    const isAbsent = error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory;
    if (!isAbsent) refused.push({ path: folder, reason: "the folder cannot be listed. Change its permissions" });
    return [];
  }
}

const OUTSIDE = "it is a link to a folder outside the project's skills. Copy the folder here instead";

/** The real directory that a link leads to; undefined if there is none, or if the search was there already. */
function linkTarget(path: string, visited: Set<string>): string | undefined {
  try {
    if (!Deno.statSync(path).isDirectory) return undefined;
    const target = Deno.realPathSync(path);
    if (visited.has(target)) return undefined;
    visited.add(target);
    return target;
  } catch {
    return undefined;
  }
}

function isBelow(target: string, root: string): boolean {
  const real = attempt(() => Deno.realPathSync(root));
  return real !== undefined && isInside(target, real);
}

/** Where skills are looked for. */
export interface SkillOptions extends Omit<BootstrapPlaces, "canRead"> {
  readonly home?: string | undefined;
  /** The folder of the skills that come with the program. */
  readonly bundled?: string | undefined;
  /** `--skill`: a SKILL.md, its folder, or a folder of skills; taken even without `enabled`. */
  readonly explicit: readonly string[];
  readonly packed?: PackedFolder | undefined;
  /** Paths of the same kinds that extensions named (R125). */
  readonly contributed?: readonly string[];
  /** False: only the explicit ones (`--no-skills`). */
  readonly enabled: boolean;
  /** Whether the read tool can open a path; a skill that it cannot open is not listed (R146). */
  readonly canRead?: (path: string) => boolean;
}

/** Whose skill it is; in this order the first wins a name (R121). */
export type SkillOrigin = "packed" | "explicit" | "project" | "user" | "extension" | "bundled";

/** What opens a skill: links in the user's and the program's own directories lead where their owner wants. */
export function skillFiles(origin: SkillOrigin, files: NamedFiles | undefined): NamedFiles | undefined {
  return origin === "project" || origin === "explicit" || origin === "extension" ? files : undefined;
}

/** One folder to search. */
export interface SkillPlace {
  readonly folder: string;
  readonly origin: SkillOrigin;
}

/** The folders to search, the one that wins a name first; a project without trust is passed by, and that is said. */
export function skillPlaces(options: SkillOptions, diagnostics: Diagnostic[]): readonly SkillPlace[] {
  const { root, projectFolder, userFolder, home, bundled, enabled, gitRoot } = options;
  const of = (origin: SkillOrigin) => (folder: string): SkillPlace => ({ folder, origin });
  const explicit = namedFolders(root, options.explicit).map(of("explicit"));
  if (!enabled) return withPacked(options.packed, explicit, of("packed"));
  const user = [...userFolder ? [join(userFolder, "skills")] : [], ...home ? [join(home, ".agents/skills")] : []];
  const own = [
    ...projectFolder ? [join(projectFolder, "skills")] : [],
    ...sharedSkillFolders(root, gitRoot).toReversed(),
    // A workspace that is the home folder has the user's skills, which need no trust.
  ].filter((folder) => !user.includes(folder) && isFolder(folder)).filter((folder) => {
    const why = options.linkProblem?.(folder);
    if (why === undefined) return true;
    diagnostics.push({ code: "skill_invalid", message: `Skills here are left out: ${why}`, file: folder });
    return false;
  });
  if (!options.trusted) { for (const folder of own) diagnostics.push(untrusted(folder)); }
  const places = [
    ...explicit,
    ...options.trusted ? own.map(of("project")) : [],
    ...user.map(of("user")),
    ...namedFolders(root, options.contributed ?? []).map(of("extension")),
  ];
  return [...withPacked(options.packed, places, of("packed")), ...bundled ? [of("bundled")(bundled)] : []];
}

function namedFolders(root: string, paths: readonly string[]): readonly string[] {
  return paths.map((path) => resolve(root, path)).map((path) => basename(path) === "SKILL.md" ? dirname(path) : path);
}

function untrusted(file: string): Diagnostic {
  const message = "The project is not trusted, so its skills are left out. Look at them, then pass --trust";
  return { code: "untrusted", message, file };
}
