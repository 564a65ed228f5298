import { type ExpandedInput, expandInput, skillElement } from "../../context/expand_input.ts";
import { selectSkills, type SkillChoice } from "../../context/skill_selection.ts";
import type { Skill } from "../../context/skills.ts";
import { readSkillBody } from "../../context/skill_body.ts";
import type { Template } from "../../context/templates.ts";
import type { CommandView } from "../../core/engine.ts";
import { type AgentMessage, textOf } from "../../core/message.ts";
import type { RuntimeSkill } from "../../core/prompt.ts";

/** What typed text may name: gathered with the prompt's base, and again at a reload. */
export interface InputSources {
  /** All that were found; `choice` says which the model is told of. */
  readonly skills: readonly Skill[];
  readonly choice: SkillChoice;
  readonly templates: readonly Template[];
  readonly root: string;
}

/** A text for the model, and the skills that its prompt calls for. */
export interface ReadyInput {
  readonly text: string;
  readonly runtimeSkills: readonly RuntimeSkill[];
  /** What a person should be told about it. */
  readonly problem?: string;
}

/** Puts skills and templates in (K1), and chooses the skills of the turn (K14). No event, no model (R116, R164). */
export function readyInput(text: string, sources: InputSources, earlier: readonly AgentMessage[]): ReadyInput {
  const said = earlier.flatMap((message) => message.role === "user" ? [textOf(message.content)] : []);
  const expanded: ExpandedInput = expandInput(text, {
    skills: sources.choice.mode === "off" ? [] : sources.skills,
    templates: sources.templates,
    readBody: (skill) => readSkillBody(skill.path),
    earlier: said,
  });
  const { runtime } = selectSkills(
    sources.skills,
    sources.choice,
    { words: expanded.words, expanded: expanded.skill, touched: [], root: sources.root },
    (skill) => bodyOf(skill, said),
  );
  return {
    text: expanded.text,
    runtimeSkills: runtime,
    ...(expanded.problem === undefined ? {} : { problem: expanded.problem }),
  };
}

/** What can be called with `/name`, by name. */
export function inputCommands(sources: InputSources): readonly CommandView[] {
  const skills = sources.skills.map(({ name, description, path }): CommandView => ({
    name: `skill:${name}`,
    description,
    kind: "skill",
    path,
  }));
  const templates = sources.templates.map(({ name, description, path }): CommandView => ({
    name,
    description: description ?? "",
    kind: "template",
    path,
  }));
  return [...templates, ...skills];
}

/** Instructions that stand in the conversation already are not sent again (X11). */
function bodyOf(skill: Skill, said: readonly string[]): string | { readonly given: true } | undefined {
  const body = readSkillBody(skill.path);
  if ("problem" in body) return undefined;
  return said.some((message) => message.includes(skillElement(skill, body.text))) ? { given: true } : body.text;
}
