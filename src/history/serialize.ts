import { type AgentMessage, type AssistantMessage, textOf, type ToolCall } from "../core/message.ts";
import { takeCharacters } from "../core/support/text.ts";
import { countTokens, tokenBound } from "./tokens.ts";

/** Longest parts of a conversation that is written out for a summary. Unicode characters. */
interface SerializeLimits {
  readonly result: number;
  readonly argument: number;
  /** What people and the model said. */
  readonly text: number;
}

/** A summary needs what a tool was asked and how its answer began, and all that was said. */
export const SERIALIZE_LIMITS: SerializeLimits = { result: 2000, argument: 400, text: Infinity };

/** A conversation as text, a part for each message; messages without anything to read have none. Reasoning is left out. */
export function serializeMessages(
  messages: readonly AgentMessage[],
  limits: SerializeLimits = SERIALIZE_LIMITS,
): readonly string[] {
  return messages.map((message) => partOf(message, limits)).filter((part) => part !== "");
}

function partOf(message: AgentMessage, limits: SerializeLimits): string {
  const said = (title: string, text: string): string =>
    text.trim() === "" ? "" : `[${title}]\n${cutMiddle(text, limits.text)}`;
  switch (message.role) {
    case "user":
      return said("User", readable(message.content));
    case "assistant":
      return [said("Assistant", textOf(message.content)), callsOf(message, limits)].filter(Boolean).join("\n\n");
    case "toolResult": {
      const text = readable(message.content);
      const title = message.isError ? "failed" : "result";
      return `[Tool ${title}: ${message.toolName}]\n${text.trim() === "" ? "(nothing)" : cut(text, limits.result)}`;
    }
    case "custom":
      return said("Note", readable(message.content));
    case "bashExecution": {
      if (message.excludeFromContext) return "";
      const code = message.exitCode === undefined ? "no exit code" : `exit code ${message.exitCode}`;
      return `[Command of the user, ${code}]\n$ ${cut(message.command, limits.text)}\n${
        cut(message.output, limits.result)
      }`;
    }
    case "compactionSummary":
      return said("Summary of what came before", message.summary);
    case "branchSummary":
      return said("Summary of a line that was left", message.summary);
  }
}

function callsOf(message: AssistantMessage, limits: SerializeLimits): string {
  const calls = message.content.filter((part): part is ToolCall => part.type === "toolCall");
  if (calls.length === 0) return "";
  const lines = calls.map(({ name, arguments: args }) => {
    const shown = Object.entries(args).map(([key, value]) => `${key}=${cut(JSON.stringify(value), limits.argument)}`);
    return `${name}(${shown.join(", ")})`;
  });
  return `[Assistant calls]\n${lines.join("\n")}`;
}

function readable(content: string | readonly { readonly type: string }[]): string {
  if (typeof content === "string") return content;
  const images = content.filter((part) => part.type === "image").length;
  return textOf(content) + "\n[image]".repeat(images);
}

function cut(text: string, limit: number): string {
  const kept = takeCharacters(text, limit);
  return kept.length === text.length ? text : `${kept}\n[… ${text.length - kept.length} more characters]`;
}

/** What was said may end in the question: a long text keeps its beginning and its end. */
function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = takeCharacters(text, Math.ceil(limit * 2 / 3));
  const from = text.length - Math.floor(limit / 3);
  const tail = text.slice((text.charCodeAt(from) & 0xfc00) === 0xdc00 ? from + 1 : from);
  return `${head}\n[… ${text.length - head.length - tail.length} more characters]\n${tail}`;
}

/** Tried one after the other until the conversation fits. */
const STEPS: readonly SerializeLimits[] = [
  SERIALIZE_LIMITS,
  { result: 1000, argument: 200, text: 60_000 },
  { result: 1000, argument: 200, text: 8000 },
  { result: 400, argument: 120, text: 2000 },
  { result: 150, argument: 80, text: 500 },
];

const LEFT_OUT = "[… messages are left out here: there was no room for them]";

/**
 * A conversation as text of at most `maxTokens`, for a request that must not overflow itself.
 *
 * Long texts are shortened first, step by step; then messages in the middle are left out: the first one, which holds
 * the task, and the newest ones stay.
 */
export async function fitConversation(
  messages: readonly AgentMessage[],
  maxTokens: number,
  signal?: AbortSignal,
): Promise<string> {
  let parts: readonly string[] = [];
  for (const limits of STEPS) {
    parts = serializeMessages(messages, limits);
    const text = parts.join("\n\n");
    if (tokenBound(text) <= maxTokens || await countTokens(text, signal) <= maxTokens) return text;
  }
  const [first = "", ...others] = parts;
  let room = maxTokens - await countTokens(`${first}\n\n${LEFT_OUT}`, signal);
  const newest: string[] = [];
  for (const part of others.toReversed()) {
    room -= await countTokens(`\n\n${part}`, signal);
    if (room < 0) break;
    newest.unshift(part);
  }
  return [first, LEFT_OUT, ...newest].join("\n\n");
}
