import type { JsonObject } from "../core/json.ts";
import type { AgentMessage } from "../core/message.ts";
import { type FileLists, fileLists, fileListsText, readFileLists, strings } from "./file_lists.ts";
import { loadedSkills, loadedSkillsText } from "./loaded_skills.ts";

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
