import type { Diagnostic, PromptSkill, PromptSource, StableInputs } from "../../core/prompt.ts";
import { sha256 } from "../../core/support/digest.ts";
import { countCharacters } from "../../core/support/text.ts";
import { oneLine, visiblePath } from "../text/clean.ts";
import { hasTool } from "../text/rendered.ts";
import type { DynamicSection, StableSection } from "../text/section.ts";
import { skillsPrompt } from "../text/skills_prompt.ts";
import { skillsIntroduction, skillsLeftOut } from "../text/text.ts";

/** Room for all entries together, Unicode characters. */
const LISTING_CHARACTERS = 24_000;

/** Skills without room that are told of one by one; the sources name all of them. */
const TOLD = 20;

/** Names, descriptions and places of skills, by name; bodies are read when they are needed (R102–R108, R122). */
export const skillsListing: StableSection = {
  id: "skills_listing",
  stability: "stable",
  profiles: ["full"],
  render: (inputs) => {
    const tool = readingTool(inputs);
    if (!tool || inputs.skills.length === 0) return undefined;
    const entries: string[] = [];
    const sources: PromptSource[] = [];
    const diagnostics: Diagnostic[] = [];
    let omitted = 0;
    const limit = inputs.budgets?.skills?.total ?? LISTING_CHARACTERS;
    let left = limit;
    for (const skill of inputs.skills.toSorted(byName)) {
      const entry = entryOf(skill);
      const chars = countCharacters(entry);
      const fits = chars <= left;
      const status = fits ? "loaded" : "filtered";
      sources.push({
        kind: "skill",
        ref: oneLine(skill.name),
        path: skill.path,
        status,
        chars,
        kept: fits ? chars : 0,
        ...(fits ? { sha256: sha256(entry) } : {}),
      });
      if (fits) entries.push(entry), left -= chars;
      else if (++omitted <= TOLD) diagnostics.push(leftOut(skill, limit));
    }
    if (omitted > TOLD) diagnostics.push(leftOutToo(omitted - TOLD));
    const text = [skillsIntroduction(tool), "", "<available_skills>", ...entries, "</available_skills>"];
    if (omitted > 0) text.push(skillsLeftOut(omitted));
    return { text: text.join("\n"), sources, diagnostics };
  },
};

function readingTool(inputs: StableInputs): string | undefined {
  return ["read", "read_skill"].find((name) => inputs.tools.some((tool) => tool.name === name));
}

// By code unit and not by locale: the order has to be the same on every machine.
function byName(a: PromptSkill, b: PromptSkill): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}

function entryOf(skill: PromptSkill): string {
  const profiles = new Set((skill.authProfiles ?? []).map(oneLine).filter(Boolean));
  const names = [...profiles].sort().join(", ");
  return [
    "<skill>",
    `<name>${escapeXml(oneLine(skill.name))}</name>`,
    `<description>${escapeXml(oneLine(skill.description))}</description>`,
    `<location>${escapeXml(visiblePath(skill.path))}</location>`,
    ...names ? [`<auth_profiles>${escapeXml(names)}</auth_profiles>`] : [],
    "</skill>",
  ].join("\n");
}

function leftOut(skill: PromptSkill, limit: number): Diagnostic {
  return {
    code: "section_omitted",
    message: `Skill "${skill.name}" is not listed: the listing has room for ${limit} characters. Shorten ` +
      "descriptions or remove skills",
    file: skill.path,
    section: "skills_listing",
  };
}

function leftOutToo(count: number): Diagnostic {
  return {
    code: "section_omitted",
    message: `${count} more skills are not listed for the same reason. Remove some, or name those you want in the ` +
      "setting skills.load",
    section: "skills_listing",
  };
}

/** Skills that this turn mentions or whose paths it touches (K14, R126). */
export const skillsRuntime: DynamicSection = {
  id: "skills_runtime",
  stability: "dynamic",
  profiles: ["full"],
  render: (inputs) => {
    const budget = inputs.budgets?.skillsRuntime?.total;
    return skillsPrompt(inputs.runtimeSkills ?? [], {
      hasReadSkill: hasTool(inputs, "read_skill"),
      ...(budget === undefined ? {} : { budget }),
    });
  },
};

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** A text that can stand inside an element or an attribute (R105). */
function escapeXml(text: string): string {
  return /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char) : text;
}
