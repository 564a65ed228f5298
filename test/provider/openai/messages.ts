// Messages of a session, as the tests of requests need them.
import type { JsonObject } from "../../../src/core/json.ts";
import type { AssistantMessage, Message, ToolCall, ToolResultMessage } from "../../../src/core/message.ts";

export const user = (content: Extract<Message, { role: "user" }>["content"]): Message => ({
  role: "user",
  content,
  timestamp: 1,
});
export const call = (id: string, name = "ls", args: JsonObject = {}): ToolCall => ({
  type: "toolCall",
  id,
  name,
  arguments: args,
});
export const assistant = (
  content: AssistantMessage["content"],
  more: Partial<AssistantMessage> = {},
): AssistantMessage => ({
  role: "assistant",
  content,
  provider: "openai",
  model: "m",
  stopReason: "stop",
  timestamp: 1,
  ...more,
});
export const result = (toolCallId: string, content: ToolResultMessage["content"]): Message => ({
  role: "toolResult",
  toolCallId,
  toolName: "ls",
  content,
  isError: false,
  timestamp: 1,
});
