import { join } from "@std/path";
import { discoverSkills, listedSkills } from "../context/skills.ts";
import { covers, isInside, type Policy } from "../core/policy.ts";
import type { Diagnostic, PromptSkill } from "../core/prompt.ts";
import type { Config } from "./config.ts";

/** The skills that the model is told of, and what the search had to report. */
export interface ListedSkills {
  readonly skills: readonly PromptSkill[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Finds the skills of a session; one that the read tool could not open is not listed (R146). */
export async function findSkills(config: Config, bundled: string | undefined, policy: Policy): Promise<ListedSkills> {
  const { values } = config.invocation;
  const found = await discoverSkills({
    root: config.root,
    projectFolder: config.projectFolder,
    userFolder: config.userFolder,
    home: config.world.env["HOME"],
    bundled: bundled === undefined ? undefined : join(bundled, "skills"),
    explicit: Array.isArray(values["skill"]) ? values["skill"] : [],
    trusted: config.trusted,
    enabled: !values["no-skills"],
    canRead: (path) => covers(policy.read, path) && !policy.denyRead.some((folder) => isInside(path, folder)),
  });
  return { skills: listedSkills(found.skills), diagnostics: found.diagnostics };
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
