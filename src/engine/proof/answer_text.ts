import { type AssistantMessage, textOf } from "../../core/message.ts";

/** The final answer as JSON text: models put a fence around it whatever they are told. */
export function jsonAnswer({ content }: AssistantMessage): string {
  return shaped(textOf(content));
}

/** The same for its text. */
export function shaped(answer: string): string {
  const text = answer.trim();
  const json = /^```(?:json)?\s*\n([\s\S]*?)\n\s*```$/i.exec(text)?.[1]?.trim() ?? text;
  // They can stand in strings alone, where the escape means the same and steers no terminal.
  return json.replace(STEERING, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** What steers a terminal or changes the order of a text, and is allowed in JSON as it is. */
const STEERING = /[\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;
