import type { JsonObject } from "../../src/core/json.ts";
import type {
  AgentMessage,
  AssistantMessage,
  ToolCall,
  ToolResultMessage,
  Usage,
  UserMessage,
} from "../../src/core/message.ts";
import type { NewEntry, SessionEntry } from "../../src/core/session.ts";
import type { AskDeps } from "../../src/history/ask.ts";
import { openReplayText } from "../../src/provider/replay/replay.ts";

let clock = 1000;

/** What a person says. */
export function user(content: UserMessage["content"]): UserMessage {
  return { role: "user", content, timestamp: ++clock };
}

/** A reply: its text, the calls it makes, and whatever else is told of it. */
export function reply(
  text: string,
  calls: readonly ToolCall[] = [],
  more: Partial<AssistantMessage> = {},
): AssistantMessage {
  return {
    role: "assistant",
    content: [...(text ? [{ type: "text", text } as const] : []), ...calls],
    provider: "replay",
    model: "m",
    stopReason: calls.length > 0 ? "toolUse" : "stop",
    timestamp: ++clock,
    ...more,
  };
}

/** A call of a tool. */
export function call(id: string, name: string, args: JsonObject): ToolCall {
  return { type: "toolCall", id, name, arguments: args };
}

/** The result of a call. */
export function result(toolCallId: string, text: string, toolName = "read"): ToolResultMessage {
  return {
    role: "toolResult",
    toolCallId,
    toolName,
    content: [{ type: "text", text }],
    isError: false,
    timestamp: ++clock,
  };
}

/** Usage of which the context is `tokens` long. */
export function usage(tokens: number): Usage {
  return { input: tokens, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: tokens };
}

/** Entries one after the other: the first follows `parentId`. */
export function chain(entries: readonly NewEntry[], prefix = "e", parentId: string | null = null): SessionEntry[] {
  return entries.map((entry, index) => ({
    ...entry,
    id: `${prefix}${index}`,
    parentId: index === 0 ? parentId : `${prefix}${index - 1}`,
    timestamp: new Date(++clock).toISOString(),
  }));
}

/** A session that holds nothing but these messages. */
export function session(messages: readonly AgentMessage[]): {
  messages: readonly AgentMessage[];
  entryIds: readonly string[];
  path: readonly SessionEntry[];
} {
  const path = chain(messages.map((message) => ({ type: "message", message })));
  return { messages, entryIds: path.map(({ id }) => id), path };
}

/** About `tokens` tokens of words. */
export function words(tokens: number): string {
  return "word ".repeat(tokens).trim();
}

/** Asks a cassette of these lines; waits are noted in `waits` and last no time. */
export function asking(lines: readonly JsonObject[], waits: number[] = []): AskDeps {
  return {
    provider: openReplayText(lines.map((line) => JSON.stringify(line)).join("\n"), "c.jsonl", () => 1),
    thinking: "off",
    now: () => 1,
    sleep: (ms) => {
      waits.push(ms);
      return Promise.resolve();
    },
    signal: new AbortController().signal,
  };
}
