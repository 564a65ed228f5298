import { join } from "@std/path";
import type { SkillChoice } from "../context/skill_selection.ts";
import { chooseSkills } from "../context/skill_selection.ts";
import { discoverSkills, listedSkills, type SkillSet } from "../context/skills.ts";
import { covers, isInside, type Policy } from "../core/policy.ts";
import type { Diagnostic, PromptSkill } from "../core/prompt.ts";
import type { Config } from "./config.ts";

/** The skills that the model is told of, and what the search had to report. */
export interface ListedSkills {
  readonly skills: readonly PromptSkill[];
  readonly diagnostics: readonly Diagnostic[];
  /** All that were found, for `/skill:name` and mentions. */
  readonly found: SkillSet;
}

/**
 * Finds the skills of a session; one that the read tool could not open is not listed (R146).
 *
 * Throws UserError where `skills.load` names one that is not there (R141).
 *
 * @param contributed Paths that extensions named.
 */
export async function findSkills(
  config: Config,
  bundled: string | undefined,
  policy: Policy,
  contributed: readonly string[] = [],
): Promise<ListedSkills> {
  const found = await discover(config, bundled, policy, contributed);
  return {
    skills: listedSkills(chooseSkills(found.skills, skillChoice(config))),
    diagnostics: found.diagnostics,
    found,
  };
}

/** Everything that is there, whatever the settings choose. */
export async function discover(
  config: Config,
  bundled: string | undefined,
  policy: Policy,
  contributed: readonly string[] = [],
): Promise<SkillSet> {
  const { values } = config.invocation;
  return await discoverSkills({
    root: config.root,
    projectFolder: config.projectFolder,
    userFolder: config.userFolder,
    home: config.world.env["HOME"],
    bundled: bundled === undefined ? undefined : join(bundled, "skills"),
    explicit: Array.isArray(values["skill"]) ? values["skill"] : [],
    contributed,
    trusted: config.trusted,
    enabled: !values["no-skills"],
    canRead: (path) => covers(policy.read, path) && !policy.denyRead.some((folder) => isInside(path, folder)),
  });
}

/** The setting `skills`. */
export function skillChoice(config: Config): SkillChoice {
  return config.settings.skills ?? {};
}

/** Folders outside the workspace that hold skills; the tools' read scope takes them in. */
export function skillFolders(config: Config, bundled: string | undefined): string[] {
  const { values } = config.invocation;
  const explicit = Array.isArray(values["skill"]) ? values["skill"] : [];
  const home = config.world.env["HOME"];
  const standing = values["no-skills"] ? [] : [
    ...(config.userFolder ? [join(config.userFolder, "skills")] : []),
    ...(home ? [join(home, ".agents", "skills")] : []),
  ];
  return [...explicit, ...standing, ...(bundled ? [bundled] : [])];
}
