import { basename, dirname, join, resolve } from "@std/path";
import type { Diagnostic, PromptSkill } from "../core/prompt.ts";
import { ancestorsOf, findGitRoot } from "./ancestors.ts";
import { readSkill } from "./skill_file.ts";
import { findSkillFiles } from "./skill_folders.ts";

/** Where skills are looked for. */
export interface SkillOptions {
  /** The workspace. */
  readonly root: string;
  readonly projectFolder?: string | undefined;
  readonly userFolder?: string | undefined;
  readonly home?: string | undefined;
  /** The folder of the skills that come with the program. */
  readonly bundled?: string | undefined;
  /** `--skill`: a SKILL.md, its folder, or a folder of skills; taken even without `enabled`. */
  readonly explicit: readonly string[];
  /** Whether the project's own skills may be used. */
  readonly trusted: boolean;
  /** False: only the explicit ones (`--no-skills`). */
  readonly enabled: boolean;
  /** Whether the read tool can open a path; a skill that it cannot open is not listed (R146). */
  readonly canRead?: (path: string) => boolean;
}

/** Whose skill it is; in this order the first wins a name (R121). */
export type SkillOrigin = "explicit" | "project" | "user" | "bundled";

/** A skill that was found. */
export interface Skill extends PromptSkill {
  readonly folder: string;
  readonly origin: SkillOrigin;
  readonly modelInvocation: boolean;
}

/** Skills by name, and what the search had to report. */
export interface SkillSet {
  readonly skills: readonly Skill[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Finds the skills of every place there is (docs/cli.md, Files; R119–R123, R144–R147).
 *
 * A name belongs to the first of: explicit paths, the project's folder, `.agents/skills` from the workspace up to the
 * git root, the user's folder, `~/.agents/skills`, the bundled ones; within one folder the first path. Never throws.
 */
export async function discoverSkills(options: SkillOptions): Promise<SkillSet> {
  const diagnostics: Diagnostic[] = [];
  const byName = new Map<string, Skill>();
  const seen = new Set<string>();
  for (const { folder, origin } of rootsOf(options, diagnostics)) {
    const { found, refused } = findSkillFiles(folder, origin !== "project");
    for (const { path, reason } of refused) diagnostics.push(invalid(path, `Skills here are left out: ${reason}`));
    if (origin === "explicit" && found.length === 0) {
      diagnostics.push(invalid(folder, "There is no SKILL.md. Name a SKILL.md, its folder, or a folder of skills"));
    }
    for (const path of found) {
      if (seen.has(path)) continue;
      seen.add(path);
      await take(path, origin, options, byName, diagnostics);
    }
  }
  return { skills: [...byName.values()].sort((a, b) => a.name < b.name ? -1 : 1), diagnostics };
}

/** The skills that the model may be told of (R109). */
export function listedSkills(skills: readonly Skill[]): readonly PromptSkill[] {
  return skills.filter((skill) => skill.modelInvocation)
    .map(({ name, description, path }) => ({ name, description, path }));
}

async function take(
  path: string,
  origin: SkillOrigin,
  options: SkillOptions,
  byName: Map<string, Skill>,
  diagnostics: Diagnostic[],
): Promise<void> {
  const read = await readSkill(path);
  if ("rejected" in read) {
    diagnostics.push(invalid(path, `The skill is left out: ${read.rejected}`));
    return;
  }
  if (options.canRead && !options.canRead(path)) {
    const message = "The skill is left out: the read tool may not open it. Grant it with --allow-read";
    diagnostics.push({ code: "permission_denied", message, file: path });
    return;
  }
  for (const warning of read.warnings) diagnostics.push(invalid(path, `The skill is used, but ${warning}`));
  const winner = byName.get(read.head.name);
  if (winner) {
    const message = `Skill "${read.head.name}" is hidden by the one at ${winner.path}. Rename one of them`;
    diagnostics.push({ code: "skill_collision", message, file: path });
    return;
  }
  byName.set(read.head.name, { ...read.head, path, folder: dirname(path), origin });
}

function rootsOf(
  options: SkillOptions,
  diagnostics: Diagnostic[],
): readonly { readonly folder: string; readonly origin: SkillOrigin }[] {
  const { root, projectFolder, userFolder, home, bundled, explicit, enabled } = options;
  const of = (origin: SkillOrigin) => (folder: string) => ({ folder, origin });
  const named = explicit.map((path) => resolve(root, path))
    .map((path) => basename(path) === "SKILL.md" ? dirname(path) : path).map(of("explicit"));
  if (!enabled) return named;
  const user = [...userFolder ? [join(userFolder, "skills")] : [], ...home ? [join(home, ".agents/skills")] : []];
  const top = findGitRoot(root) ?? root;
  const own = [
    ...projectFolder ? [join(projectFolder, "skills")] : [],
    ...ancestorsOf(root).filter((folder) => folder.length >= top.length).map((folder) => join(folder, ".agents/skills"))
      .reverse(),
    // A workspace that is the home folder has the user's skills, which need no trust.
  ].filter((folder) => !user.includes(folder) && isFolder(folder));
  if (!options.trusted) { for (const folder of own) diagnostics.push(untrusted(folder)); }
  return [
    ...named,
    ...options.trusted ? own.map(of("project")) : [],
    ...user.map(of("user")),
    ...bundled ? [of("bundled")(bundled)] : [],
  ];
}

function invalid(file: string, message: string): Diagnostic {
  return { code: "skill_invalid", message, file };
}

function untrusted(file: string): Diagnostic {
  const message = "The project is not trusted, so its skills are left out. Look at them, then pass --trust";
  return { code: "untrusted", message, file };
}

function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}
