import { normalize } from "@std/path";
import type { JsonObject, JsonValue } from "../core/json.ts";
import { type AgentMessage, textOf, toolCallsOf } from "../core/message.ts";
import { stripControls } from "../core/support/text.ts";
import { tagged } from "./convert.ts";

/** What a summary carries without the model's help: it is counted, not remembered. */
export interface Appendix extends FileLists {
  readonly skills: readonly string[];
}

/** Files and skills of the messages, and what an earlier summary's details hold; no skill that `kept` messages contain. */
export function appendixOf(
  messages: readonly AgentMessage[],
  earlier?: JsonObject,
  kept: readonly AgentMessage[] = [],
): Appendix {
  const present = new Set(loadedSkills(kept, []));
  return {
    ...fileLists(messages, earlier),
    skills: loadedSkills(messages, strings(earlier?.skills)).filter((file) => !present.has(file)),
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
function loadedSkills(messages: readonly AgentMessage[], earlier: readonly string[]): readonly string[] {
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
function loadedSkillsText(files: readonly string[]): string {
  if (files.length === 0) return "";
  const advice = "These skills were in use and their instructions are gone from the conversation. " +
    "Read a file again before you go on with what it is for:";
  return tagged("skills-to-reload", [advice, ...files].join("\n"));
}

/** Files that a conversation touched; no path is in both lists, each is sorted. */
export interface FileLists {
  readonly readFiles: readonly string[];
  readonly modifiedFiles: readonly string[];
}

/**
 * The files that read, write and edit calls named, and those of an earlier summary (R283–R287), unless another program or
 * a hook stored something else there. A call that failed has read or changed nothing.
 */
function fileLists(messages: readonly AgentMessage[], earlier: JsonObject | undefined): FileLists {
  const read = new Set(strings(earlier?.readFiles));
  const modified = new Set(strings(earlier?.modifiedFiles));
  for (const [index, message] of messages.entries()) {
    if (message.role !== "assistant") continue;
    const failed = failedAfter(messages, index);
    for (const { id, name, arguments: { path } } of toolCallsOf(message)) {
      if (failed.has(id) || typeof path !== "string" || path === "") continue;
      if (name === "read") read.add(listed(path));
      else if (name === "write" || name === "edit") modified.add(listed(path));
    }
  }
  return {
    readFiles: [...read].filter((path) => !modified.has(path)).toSorted(),
    modifiedFiles: [...modified].toSorted(),
  };
}

/** Calls of the message at `index` whose results say that they failed; ids may come again later in a conversation. */
function failedAfter(messages: readonly AgentMessage[], index: number): ReadonlySet<string> {
  const failed = new Set<string>();
  for (let at = index + 1; messages[at] !== undefined && messages[at]?.role !== "assistant"; at++) {
    const message = messages[at];
    if (message?.role === "toolResult" && message.isError) failed.add(message.toolCallId);
  }
  return failed;
}

/** What a summary ends with; empty when no file was touched. */
function fileListsText({ readFiles, modifiedFiles }: FileLists): string {
  return [
    ...(readFiles.length > 0 ? [tagged("read-files", readFiles.join("\n"))] : []),
    ...(modifiedFiles.length > 0 ? [tagged("modified-files", modifiedFiles.join("\n"))] : []),
  ].join("\n\n");
}

/** The texts of a JSON list; anything else is left out. */
function strings(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** One spelling for a path, on one line. */
function listed(path: string): string {
  return normalize(stripControls(path).replaceAll("\n", "␤")).replace(/^\.\//, "");
}
