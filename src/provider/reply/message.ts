import type { JsonObject, JsonValue } from "../../core/json.ts";
import type {
  AssistantMessage,
  StopReason,
  TextContent,
  ThinkingContent,
  ToolCall,
  Usage,
} from "../../core/message.ts";
import type { ProviderFailure, ToolDefinition } from "../../core/provider.ts";
import type { FailureContext } from "../failure/failure_message.ts";
import type { CallSlot } from "./calls.ts";

/** What arrived of a reply. */
export interface ReplyParts {
  readonly text: string;
  readonly thinking: string;
  /** The wire name of the reasoning; absent when it came in tags or typed parts. */
  readonly field: string | undefined;
  readonly toolCalls: readonly ToolCall[];
  readonly slots: readonly CallSlot[];
  readonly usage: Usage | undefined;
  readonly kept: Readonly<Record<string, JsonValue>>;
}

/** What goes back with a message, marked with the host that may have it. */
function keepOf({ slots, field, kept }: ReplyParts, host: string): JsonObject | undefined {
  const calls: Record<string, JsonObject> = {};
  for (const { id, extra } of slots) if (extra && id !== undefined) calls[id] = extra;
  const all = Object.keys(calls).length > 0 ? { ...kept, calls } : kept;
  return field !== undefined || Object.keys(all).length > 0 ? { origin: host, ...all } : undefined;
}

/** The message that a reply has become: reasoning, then text, then calls. */
export function composeMessage(
  parts: ReplyParts,
  ending: { readonly stopReason: StopReason; readonly failure?: ProviderFailure },
  context: ReplyContext,
): AssistantMessage {
  const { text, field, toolCalls, usage } = parts;
  // A server that wants reasoning back wants it to the letter.
  const thinking = field === undefined ? parts.thinking.trim() : parts.thinking;
  const reasoning: readonly ThinkingContent[] = thinking === ""
    ? []
    : [{ type: "thinking", thinking, ...(field === undefined ? {} : { field }) }];
  const words: readonly TextContent[] = text === "" ? [] : [{ type: "text", text }];
  const keep = keepOf(parts, context.host);
  return {
    role: "assistant",
    content: [...reasoning, ...words, ...toolCalls],
    provider: context.provider,
    model: context.model,
    ...(usage ? { usage } : {}),
    stopReason: ending.stopReason,
    ...(ending.failure ? { failure: ending.failure, errorMessage: ending.failure.message } : {}),
    ...(keep ? { keep } : {}),
    timestamp: context.now,
  };
}

/** What a reply needs to know about its request. */
export interface ReplyContext extends FailureContext {
  readonly provider: string;
  readonly tools: readonly ToolDefinition[];
  /** What the reply is held to: arguments of a call of this tool are its text. */
  readonly answer?: { readonly schema: JsonObject; readonly tool: string };
  /** Texts of the conversation, when calls written as text may be taken; they must not be quotes of these. */
  readonly quotable?: () => readonly string[];
  readonly contextWindow?: number;
  /** Longest reply: text, reasoning and arguments together, UTF-16 units; `MAX_REPLY_CHARACTERS` unless told otherwise. */
  readonly maxReplyCharacters?: number;
  readonly newId: () => string;
}

/** Several times what any model can say at once. More is a server that does not stop, and would fill the memory. */
export const MAX_REPLY_CHARACTERS = 8 * 1024 * 1024;
