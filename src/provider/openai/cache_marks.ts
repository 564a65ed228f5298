// Gateways that pass Claude's cache on take its marks in parts of chat messages. They stand where they stand in requests to
// Anthropic itself: at the last tool, behind the stable half, at the ends of the last two user turns.
import { isObject, type JsonObject } from "../../core/json.ts";
import { type SystemPrompt, systemText } from "../../core/provider.ts";
import { wellFormed } from "./conversation.ts";

const MARK = { cache_control: { type: "ephemeral" } } as const;

/** Tools with a mark at the last one. */
export function markedTools(tools: readonly JsonObject[]): readonly JsonObject[] {
  return tools.map((tool, index) => index === tools.length - 1 ? { ...tool, ...MARK } : tool);
}

/** Messages of a request with marks in them. What is no text takes none. */
export function markedMessages(messages: readonly JsonObject[], system: SystemPrompt): JsonObject[] {
  const ends = new Set(turnEnds(messages).slice(-2));
  const whole = wellFormed(systemText(system));
  return messages.map((message, index) => {
    if (index === 0 && message.content === whole) return { ...message, content: halves(system) };
    return ends.has(index) ? withMark(message) : message;
  });
}

function halves({ stable, dynamic }: SystemPrompt): JsonObject[] {
  const text = (text: string): JsonObject => ({ type: "text", text: wellFormed(text) });
  return [...(stable === "" ? [] : [{ ...text(stable), ...MARK }]), ...(dynamic === "" ? [] : [text(dynamic)])];
}

/** The last message with text of each turn: results and what the user says run into one turn. */
function turnEnds(messages: readonly JsonObject[]): readonly number[] {
  const ends: number[] = [];
  let isSame = false;
  for (const [index, message] of messages.entries()) {
    const isUser = message.role === "user" || message.role === "tool";
    if (isUser && hasText(message)) {
      if (isSame) ends.pop();
      ends.push(index);
      isSame = true;
    } else if (!isUser) isSame = false;
  }
  return ends;
}

function isText(part: unknown): part is JsonObject {
  return isObject(part) && part.type === "text";
}

function hasText({ content }: JsonObject): boolean {
  return typeof content === "string" ? content !== "" : Array.isArray(content) && content.some(isText);
}

function withMark(message: JsonObject): JsonObject {
  const { content } = message;
  if (typeof content === "string") return { ...message, content: [{ type: "text", text: content, ...MARK }] };
  if (!Array.isArray(content)) return message;
  const at = content.findLastIndex(isText);
  return { ...message, content: content.map((part, i) => i === at && isText(part) ? { ...part, ...MARK } : part) };
}
