import type { Skill } from "./skills/skills.ts";
import { splitArguments, substituteArguments } from "./templates/arguments.ts";
import type { Template } from "./templates/templates.ts";
import { type SkillBody, skillElement } from "./skills/file.ts";

/** What a typed text may stand for. */
export interface InputSources {
  readonly skills: readonly Skill[];
  readonly templates: readonly Template[];
  /** The instructions of a skill; must not throw. */
  readonly readBody: (skill: Skill) => SkillBody;
}

/** A text after skills and templates were put in. */
export interface ExpandedInput {
  /** For the model. */
  readonly text: string;
  /** What the user said, without a skill's own text: where skills and paths may be mentioned. */
  readonly words: string;
  readonly skill?: Skill;
  readonly template?: Template;
  /** Why the text was left as it is although it names a skill, and what to do. */
  readonly problem?: string;
}

const SKILL = /^\/skill:(\S+)(?:\s+([\s\S]*))?$/;
const TEMPLATE = /^\/(\S+)(?:\s+([\s\S]*))?$/;

/**
 * Puts the skill of `/skill:name …`, else the template of `/name …` in place of a text that begins so (K1).
 *
 * Plain substitution, once: no event, no model, and what comes out is not looked at again (R116, R164). A name that is
 * none leaves the text as it is (R114, R161).
 */
export function expandInput(text: string, sources: InputSources): ExpandedInput {
  const [, skillName, task] = SKILL.exec(text) ?? [];
  if (skillName !== undefined) return expandSkill(text, skillName, task?.trim() ?? "", sources);
  const [, name, rest] = TEMPLATE.exec(text) ?? [];
  const template = sources.templates.find((one) => one.name === name);
  if (!template) return { text, words: text };
  const expanded = substituteArguments(template.text, splitArguments(rest ?? ""));
  return { text: expanded, words: expanded, template };
}

function expandSkill(text: string, name: string, task: string, sources: InputSources): ExpandedInput {
  const skill = findSkill(sources.skills, name);
  if (!skill) {
    const known = sources.skills.map((one) => one.name).slice(0, 20).join(", ") || "none";
    return { text, words: text, problem: `There is no skill "${name}"; there is ${known}` };
  }
  const body = sources.readBody(skill);
  if ("problem" in body) {
    return { text, words: text, problem: `The skill "${skill.name}" cannot be read: ${body.problem} (${skill.path})` };
  }
  const element = skillElement(skill, body.text);
  return { text: task ? `${element}\n\n${task}` : element, words: task, skill };
}

/** The skill that a name means: its name, its slug or where it lies, in this order. */
export function findSkill(skills: readonly Skill[], name: string): Skill | undefined {
  const by = (key: "name" | "slug" | "id"): Skill | undefined => skills.find((skill) => skill[key] === name);
  return by("name") ?? by("slug") ?? by("id");
}
