import type { JsonObject } from "../core/json.ts";
import { type AgentMessage, textOf, toolCallsOf } from "../core/message.ts";
import { type FileLists, fileLists, fileListsText, readFileLists, strings } from "./file_lists.ts";
import { tagged } from "./tagged.ts";

/** What a summary carries without the model's help: it is counted, not remembered. */
export interface Appendix extends FileLists {
  readonly skills: readonly string[];
}

/** Files and skills of the messages, and what an earlier summary's details hold. */
export function appendixOf(messages: readonly AgentMessage[], earlier?: JsonObject): Appendix {
  return {
    ...fileLists(messages, readFileLists(earlier)),
    skills: loadedSkills(messages, strings(earlier?.skills)),
  };
}

/** The summary with its appendix at the end. */
export function withAppendix(summary: string, appendix: Appendix): string {
  return [summary.trim(), loadedSkillsText(appendix.skills), fileListsText(appendix)].filter(Boolean).join("\n\n");
}

/** The summary without it: what the model gets to update must not list again what is appended anyway. */
export function withoutAppendix(summary: string): string {
  let rest = summary.trimEnd();
  for (;;) {
    const block = /\s*<(skills-to-reload|read-files|modified-files)>\n[^<]*(?:<\\\/[^<]*)*<\/\1>$/.exec(rest);
    if (!block) return rest;
    rest = rest.slice(0, block.index);
  }
}

/** The appendix as it is stored with the summary. */
export function appendixDetails({ readFiles, modifiedFiles, skills }: Appendix): JsonObject {
  return { readFiles, modifiedFiles, ...(skills.length > 0 ? { skills } : {}) };
}

/** What the prompt pipeline writes around a skill that a person called by name. */
const CALLED = /<skill name="[^"\n]*" location="([^"\n]+)">/g;

/** Files of the skills whose instructions are in the messages: called by name, or read by the model; sorted. */
export function loadedSkills(messages: readonly AgentMessage[], earlier: readonly string[] = []): readonly string[] {
  const files = new Set(earlier);
  for (const message of messages) {
    if (message.role === "user") {
      for (const [, file] of textOf(message.content).matchAll(CALLED)) files.add(file ?? "");
    } else if (message.role === "assistant") {
      for (const { name, arguments: { path } } of toolCallsOf(message)) {
        if (name === "read" && typeof path === "string" && /(?:^|[\\/])SKILL\.md$/.test(path)) files.add(path);
      }
    }
  }
  return [...files].toSorted();
}

/** Names skills for reading them again (R301); empty when there were none. */
export function loadedSkillsText(files: readonly string[]): string {
  if (files.length === 0) return "";
  const advice = "These skills were in use and their instructions are gone from the conversation. " +
    "Read a file again before you go on with what it is for:";
  return tagged("skills-to-reload", [advice, ...files].join("\n"));
}
