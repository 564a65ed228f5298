import { type AgentMessage, textOf, toolCallsOf } from "../core/message.ts";
import { tagged } from "./tagged.ts";

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
