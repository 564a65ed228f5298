import { basename, dirname } from "@std/path";
import { attempt } from "../../core/support/attempt.ts";
import type { Diagnostic, PromptSkill } from "../../core/prompt.ts";
import { readSkill, type SkillHead } from "./file.ts";
import {
  findSkillFiles,
  type SkillFile,
  skillFiles,
  type SkillOptions,
  type SkillOrigin,
  type SkillPlace,
  skillPlaces,
} from "./folders.ts";

/** A skill that was found. */
export interface Skill extends PromptSkill, SkillHead {
  /** What `read_skill` takes: the name where that is fit for it; no two skills share one. */
  readonly slug: string;
  /** Its folder, relative to the place where it was found, for example `group/review`. */
  readonly id: string;
  readonly folder: string;
  readonly origin: SkillOrigin;
}

/** A skill whose name another one has. */
export interface ShadowedSkill {
  readonly name: string;
  readonly path: string;
  /** SKILL.md of the one that has it. */
  readonly winner: string;
}

/** Skills by name, and what the search had to report; every entry of the other lists is among the diagnostics too. */
export interface SkillSet {
  readonly skills: readonly Skill[];
  readonly shadowed: readonly ShadowedSkill[];
  /** SKILL.md files and folders that cannot be used, with the reason. */
  readonly rejected: readonly { readonly path: string; readonly reason: string }[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Finds the skills of every place there is (docs/skills.md; R119–R123, R144–R147).
 *
 * A name belongs to the first of: the pack's, explicit paths, the project's folder, `.agents/skills` from the workspace up to
 * the git root, the user's folder, `~/.agents/skills`, paths of extensions, an open pack's, the bundled ones; within one
 * folder the first path. Never throws.
 */
export async function discoverSkills(options: SkillOptions): Promise<SkillSet> {
  const found: Found = { byName: new Map(), shadowed: [], rejected: [], diagnostics: [] };
  const seen = new Set<string>();
  for (const place of skillPlaces(options, found.diagnostics)) {
    const { folder, origin } = place;
    const files = findSkillFiles(folder, origin !== "project", undefined, options.linkProblem);
    for (const { path, reason } of files.refused) reject(found, path, reason, "Skills here are left out");
    if ((origin === "explicit" || origin === "extension") && files.found.length === 0) {
      reject(
        found,
        folder,
        "there is no SKILL.md. Name a SKILL.md, its folder, or a folder of skills",
        "No skill here",
      );
    }
    for (const file of files.found) {
      if (seen.has(file.path)) continue;
      seen.add(file.path);
      await take(file, place, options, found);
    }
  }
  const { byName, ...reports } = found;
  return { skills: withSlugs([...byName.values()].sort((a, b) => a.name < b.name ? -1 : 1)), ...reports };
}

/** The skills that the model may be told of (R109). */
export function listedSkills(skills: readonly Skill[]): readonly PromptSkill[] {
  return skills.filter((skill) => skill.modelInvocation).map(({ name, description, path, authProfiles }) => ({
    name,
    description,
    path,
    ...(authProfiles ? { authProfiles } : {}),
  }));
}

interface Found {
  readonly byName: Map<string, Omit<Skill, "slug">>;
  readonly shadowed: ShadowedSkill[];
  readonly rejected: { readonly path: string; readonly reason: string }[];
  readonly diagnostics: Diagnostic[];
}

async function take(
  { path, info, linkedTo }: SkillFile,
  place: SkillPlace,
  options: SkillOptions,
  found: Found,
): Promise<void> {
  const read = await readSkill(path, info, skillFiles(place.origin, options.files));
  if ("rejected" in read) return reject(found, path, read.rejected, "The skill is left out");
  const opened = linkedTo === undefined ? path : `${linkedTo}/SKILL.md`;
  if (options.canRead && !(options.canRead(path) && options.canRead(opened))) {
    const reason = `the read tool may not open it. Name it with --skill ${dirname(opened)}, which grants it`;
    found.rejected.push({ path, reason });
    found.diagnostics.push({ code: "permission_denied", message: `The skill is left out: ${reason}`, file: path });
    return;
  }
  const winner = found.byName.get(read.head.name);
  if (winner) {
    if (isSameFile(winner.path, path)) return;
    const message = `Skill "${read.head.name}" is hidden by the one at ${winner.path}. Rename one of them`;
    found.shadowed.push({ name: read.head.name, path, winner: winner.path });
    found.diagnostics.push({ code: "skill_collision", message, file: path });
    return;
  }
  for (const warning of read.warnings) found.diagnostics.push(invalid(path, `The skill is used, but ${warning}`));
  const folder = path.slice(0, -"/SKILL.md".length);
  const id = folder.slice(place.folder.length + 1) || basename(folder);
  found.byName.set(read.head.name, { ...read.head, path, folder, id, origin: place.origin });
}

/** Two ways to one file, as where `.agents/skills` is a link to `.sandpiper/skills`, are no collision. */
function isSameFile(a: string, b: string): boolean {
  return attempt(() => Deno.realPathSync(a) === Deno.realPathSync(b)) ?? false;
}

function reject(found: Found, path: string, reason: string, what: string): void {
  found.rejected.push({ path, reason });
  found.diagnostics.push(invalid(path, `${what}: ${reason}`));
}

function invalid(file: string, message: string): Diagnostic {
  return { code: "skill_invalid", message, file };
}

/**
 * Gives each thing a slug made from its name: lower-case letters, digits and hyphens, no two alike.
 *
 * Fit names keep theirs, whatever the others are called; the rest are numbered in the order given.
 */
function withSlugs<T extends { readonly name: string }>(named: readonly T[]): (T & { readonly slug: string })[] {
  const slugs = named.map(({ name }) => slugOf(name));
  const taken = new Set(named.map(({ name }) => name).filter((name, i) => slugs[i] === name));
  return named.map((one, i) => {
    const base = slugs[i] ?? "";
    if (base === one.name) return { ...one, slug: base };
    let slug = base;
    for (let n = 2; taken.has(slug); n++) slug = `${base}-${n}`;
    taken.add(slug);
    return { ...one, slug };
  });
}

function slugOf(name: string): string {
  if (/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)) return name; // nearly always
  return name.normalize("NFKC").toLowerCase().replace(/[^\p{Ll}\p{Lo}\p{Nd}]+/gu, "-").replace(/^-+|-+$/g, "") ||
    "skill";
}
