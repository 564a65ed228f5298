import type { ExpandedInput } from "../../context/expand_input.ts";
import { readSkillBody, type SkillBody, skillElement } from "../../context/skills/file.ts";
import { skillFiles } from "../../context/skills/folders.ts";
import { selectSkills, type SkillChoice } from "../../context/skills/selection.ts";
import type { Skill } from "../../context/skills/skills.ts";
import type { Template } from "../../context/templates/templates.ts";
import type { CommandView } from "../../core/engine.ts";
import type { NamedFiles } from "../../core/named_files.ts";
import { UserError } from "../../core/error.ts";
import { type AgentMessage, textOf, toolCallsOf } from "../../core/message.ts";
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
  /** Opens skills of the repository. */
  readonly files?: NamedFiles;
}

/** The skills that a prompt calls for, by the messages of a request: the files that tools touched count, too. */
export type TurnSkills = (request: readonly AgentMessage[]) => readonly RuntimeSkill[];

/** A text for the model, and the skills that its prompt calls for. */
export interface ReadyInput {
  readonly text: string;
  readonly skills: TurnSkills;
  /** What a person should be told about it. */
  readonly problem?: string;
}

/** Puts skills and templates in (K1), and chooses the skills of the turn (K14). No event, no model (R116, R164). */
export async function readyInput(
  text: string,
  sources: InputSources,
): Promise<ReadyInput> {
  // Skills and templates are named by a slash at the beginning alone.
  const expanded: ExpandedInput = !text.startsWith("/")
    ? { text, words: text }
    : (await import("../../context/expand_input.ts")).expandInput(text, {
      skills: sources.choice.mode === "off" ? [] : sources.skills,
      templates: sources.templates,
      readBody: (skill) => readSkillBody(skill.path, skillFiles(skill.origin, sources.files)),
    });
  return {
    text: expanded.text,
    skills: turnSkills(sources, expanded),
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

/** Returns what chooses the skills of a prompt. Each file is read once. */
export function turnSkills(
  { skills, choice, root, files }: InputSources,
  { words, skill: expanded }: Pick<ExpandedInput, "words" | "skill">,
): TurnSkills {
  const bodies = new Map<Skill, SkillBody>();
  // What was touched once stays so until the next prompt, also after a compaction.
  const touched = new Set<string>();
  const read = (skill: Skill): SkillBody => {
    const body = bodies.get(skill) ?? readSkillBody(skill.path, skillFiles(skill.origin, files));
    bodies.set(skill, body);
    return body;
  };
  return (request) => {
    const said = request.flatMap((message) => message.role === "user" ? [textOf(message.content)] : []);
    // Instructions that the request contains are not sent again (X11).
    const bodyOf = (skill: Skill): string | { readonly given: true } | undefined => {
      const body = read(skill);
      if ("problem" in body) return undefined;
      return said.some((text) => text.includes(skillElement(skill, body.text))) ? { given: true } : body.text;
    };
    for (const path of touchedIn(request)) touched.add(path);
    return selectSkills(skills, choice, { words, expanded, touched: [...touched], root }, bodyOf).runtime;
  };
}

/** The paths in the tool calls since the last prompt of the user. */
function touchedIn(request: readonly AgentMessage[]): readonly string[] {
  const start = request.findLastIndex(({ role }) => role === "user");
  return request.slice(start + 1).flatMap((message) => {
    if (message.role !== "assistant") return [];
    return toolCallsOf(message).flatMap(({ arguments: { path } }) => typeof path === "string" ? [path] : []);
  });
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
