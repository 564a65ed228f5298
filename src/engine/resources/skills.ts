import { join } from "@std/path";
import { chooseSkills, type SkillChoice, unlistedSkills } from "../../context/skills/selection.ts";
import { findSkillFiles } from "../../context/skills/folders.ts";
import { discoverSkills, listedSkills, type SkillSet } from "../../context/skills/skills.ts";
import { covers, isInside, type Policy } from "../../core/policy.ts";
import type { Diagnostic, PromptSkill, UnlistedSkill } from "../../core/prompt.ts";
import { secretsOfHome } from "../../sandbox/policy/secrets.ts";
import type { FoundBundled } from "./bundled.ts";
import { packedFolder } from "../../config/host_environment.ts";
import type { Config } from "../../config/config.ts";
import { namedFilesOf, namedPaths, repositoryFiles } from "../../config/named_files.ts";
import { linkProblem } from "../../core/named_files.ts";

/** The skills that the model is told of, and what the search had to report. */
export interface ListedSkills {
  readonly skills: readonly PromptSkill[];
  /** Those that were found and are not listed. */
  readonly unlisted: readonly UnlistedSkill[];
  readonly diagnostics: readonly Diagnostic[];
  /** All that were found, for `/skill:name` and mentions. */
  readonly found: SkillSet;
  /** The setting `skills`, as far as it speaks of what was looked for. */
  readonly choice: SkillChoice;
}

/** How skills are looked for. */
export interface SkillSearch {
  /** Paths that extensions named. */
  readonly contributed?: readonly string[];
  readonly gitRoot?: () => string | undefined;
  /** False: only those that the command line names are opened. */
  readonly enabled?: boolean;
}

/**
 * Finds the skills of a session; one that the read tool could not open is not listed (R146).
 *
 * Throws UserError where `skills.load` names one that is not there (R141).
 */
export async function findSkills(
  config: Config,
  bundled: FoundBundled,
  policy: Policy,
  search: SkillSearch = {},
): Promise<ListedSkills> {
  const found = await discover(config, bundled, policy, search);
  const { load, ...rest } = skillChoice(config);
  // Where nothing was looked for, no name in the settings is wrong.
  const choice = search.enabled === false || load === undefined ? rest : { ...rest, load };
  return {
    skills: listedSkills(chooseSkills(found.skills, choice)),
    unlisted: unlistedSkills(found.skills, choice),
    choice,
    diagnostics: found.diagnostics,
    found,
  };
}

/** Everything that is there, whatever the settings choose. */
export async function discover(
  config: Config,
  bundled: FoundBundled,
  policy: Policy,
  { contributed = [], gitRoot, enabled = true }: SkillSearch = {},
): Promise<SkillSet> {
  const { values } = config.invocation;
  const isOn = enabled && !values["no-skills"];
  const found = await discoverSkills({
    root: config.root,
    gitRoot,
    projectFolder: config.projectFolder,
    userFolder: config.userFolder,
    home: config.world.env["HOME"],
    bundled: "problem" in bundled ? undefined : bundled.skills,
    packed: packedFolder(config.world, "skills"),
    explicit: namedPaths(config, values["skill"], config.root),
    linkProblem: (path) => linkProblem(namedFilesOf(config), path),
    files: repositoryFiles(config),
    contributed,
    trusted: config.trusted,
    enabled: isOn,
    canRead: readableBy(policy),
  });
  if (!("problem" in bundled) || !isOn) return found;
  const missing = { code: "missing_file", message: bundled.problem, section: "skills_listing" } as const;
  return { ...found, diagnostics: [...found.diagnostics, missing] };
}

/** Whether the tools may read a path. Asked for a thousand neighbours, so the answer for all of a folder is remembered. */
function readableBy({ read, denyRead }: Policy): (path: string) => boolean {
  const wholly = new Map<string, boolean>();
  return (path) => {
    // Of `skills/name/SKILL.md` the folder `skills`.
    const folder = path.slice(0, path.lastIndexOf("/", path.lastIndexOf("/") - 1));
    const known = wholly.get(folder) ??
      (covers(read, folder) && !denyRead.some((denied) => isInside(folder, denied) || isInside(denied, folder)));
    wholly.set(folder, known);
    return known || covers(read, path) && !denyRead.some((denied) => isInside(path, denied));
  };
}

/** The setting `skills`. */
export function skillChoice(config: Config): SkillChoice {
  return config.settings.skills ?? {};
}

/**
 * Folders outside the workspace that hold skills; the tools' read scope takes them in. Absolute. A skill in them can be a link
 * of the user's own, for example to the skills of another agent: then its real directory is one of them.
 *
 * @throws UserError for a folder that the user names and that a link leads out of the workspace.
 */
export function skillFolders(config: Config): string[] {
  const { values } = config.invocation;
  const explicit = namedPaths(config, values["skill"], config.root);
  const home = config.world.env["HOME"];
  const standing = values["no-skills"] ? [] : [
    ...(config.userFolder ? [join(config.userFolder, "skills")] : []),
    ...(home ? [join(home, ".agents", "skills")] : []),
  ];
  const folders = [...explicit, ...standing];
  // What lies in the workspace, a command can have linked.
  const own = folders.filter((folder) => !isInside(folder, config.root));
  return [...folders, ...own.flatMap((folder) => linkedSkills(folder, home))];
}

/** Real directories of the skills that a link in a folder leads to; none that holds the home or a place of secrets. */
function linkedSkills(folder: string, home: string | undefined): readonly string[] {
  const linked = findSkillFiles(folder, true).found.flatMap(({ linkedTo }) => linkedTo ?? []);
  const closed = linked.length === 0 || home === undefined ? [] : [home, ...secretsOfHome(home)];
  return linked.filter((place) => !closed.some((path) => isInside(path, place)));
}
