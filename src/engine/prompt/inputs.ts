import type { ExpandedInput } from "../../context/expand_input.ts";
import { readSkillBody, skillElement } from "../../context/skills/file.ts";
import { selectSkills, type SkillChoice } from "../../context/skills/selection.ts";
import type { Skill } from "../../context/skills/skills.ts";
import type { Template } from "../../context/templates/templates.ts";
import type { CommandView } from "../../core/engine.ts";
import { UserError } from "../../core/error.ts";
import { type AgentMessage, textOf } from "../../core/message.ts";
import type { RuntimeSkill } from "../../core/prompt.ts";
import { nearest } from "../../core/support/nearest.ts";
import { isThere } from "../../core/support/on_disk.ts";

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
export async function readyInput(
  text: string,
  sources: InputSources,
  earlier: readonly AgentMessage[],
): Promise<ReadyInput> {
  const said = earlier.flatMap((message) => message.role === "user" ? [textOf(message.content)] : []);
  // Skills and templates are named by a slash at the beginning alone.
  const expanded: ExpandedInput = !text.startsWith("/")
    ? { text, words: text }
    : (await import("../../context/expand_input.ts")).expandInput(text, {
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

/**
 * Throws UserError for a text that begins with `/name` and names nothing: no template, no skill, no command of an
 * extension. A path such as `/etc/hosts`, or `/tmp` where it exists, begins a message.
 *
 * @param problem Why a skill that is named was not put in.
 */
export function refuseUnknownName(
  text: string,
  sources: InputSources,
  problem: string | undefined,
  commands: readonly Pick<CommandView, "name">[] = [],
): void {
  const name = /^\/([^\s/]+)(?:\s|$)/.exec(text)?.[1];
  if (name === undefined) return;
  const known = [...commands, ...inputCommands(sources)].map((one) => one.name);
  if (problem === undefined && (name.startsWith("skill:") || known.includes(name) || isThere(`/${name}`))) return;
  const near = nearest(name, known);
  throw new UserError({
    what: `There is no command /${name}`,
    why: problem ??
      "neither a template nor a skill nor an extension has that name; /help and its kind are the terminal UI's",
    fix:
      `${
        near === undefined ? "sandpiper skills lists the skills." : `Did you mean /${near}?`
      } For a message that begins ` +
      "with a slash put a word before it",
  });
}
