import { type AssistantMessage, textOf } from "../../core/message.ts";

/** The final answer as JSON text: models put a fence around it whatever they are told. */
export function jsonAnswer({ content }: AssistantMessage): string {
  return shaped(textOf(content));
}

/** The same for its text. */
export function shaped(answer: string): string {
  const text = answer.trim();
  const json = inFence(text) ?? text;
  // They can stand in strings alone, where the escape means the same and steers no terminal.
  return json.replace(STEERING, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** What stands between two fences that stand alone in their lines. No expression that could try one line end after another. */
function inFence(text: string): string | undefined {
  const open = /^```(?:json)?[^\S\n]*\n/i.exec(text)?.[0];
  if (open === undefined || text.length < open.length + FENCE.length || !text.endsWith(FENCE)) return undefined;
  const inner = text.slice(open.length, -FENCE.length);
  const words = inner.trimEnd();
  return inner.includes("\n", words.length) ? words.trim() : undefined;
}

const FENCE = "```";

/** What steers a terminal or changes the order of a text, and is allowed in JSON as it is. */
const STEERING = /[\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;
