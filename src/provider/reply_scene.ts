import type { ToolDefinition } from "../core/provider.ts";
import type { FailureScene } from "./failure_message.ts";

/** What a reply needs to know about its request. */
export interface ReplyScene extends FailureScene {
  readonly provider: string;
  readonly tools: readonly ToolDefinition[];
  /** Texts of the conversation, when calls written as text may be taken; they must not be quotes of these. */
  readonly quotable?: () => readonly string[];
  readonly contextWindow?: number;
  /** Longest reply: text, reasoning and arguments together, UTF-16 units; `MAX_REPLY_CHARACTERS` unless told otherwise. */
  readonly maxReplyCharacters?: number;
  readonly newId: () => string;
}

/** Several times what any model can say at once. More is a server that does not stop, and would fill the memory. */
export const MAX_REPLY_CHARACTERS = 8 * 1024 * 1024;
