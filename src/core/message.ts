import type { JsonObject } from "./json.ts";
import type { ProviderFailure } from "./provider.ts";

/** Plain text in a message. */
export interface TextContent {
  readonly type: "text";
  readonly text: string;
}

/** A picture in a message; `data` is base64. */
export interface ImageContent {
  readonly type: "image";
  readonly data: string;
  readonly mimeType: string;
}

/** Reasoning that the model showed. `field` is the wire name under which it came and has to go back. */
export interface ThinkingContent {
  readonly type: "thinking";
  readonly thinking: string;
  readonly field?: string;
}

/** One tool call of an assistant message. */
export interface ToolCall {
  readonly type: "toolCall";
  /** Exactly as the server sent it; made up when the server sent none. */
  readonly id: string;
  readonly name: string;
  /** What runs, what is stored and what goes back to the server; `{}` when the call was refused. */
  readonly arguments: JsonObject;
  /** Set when the arguments could not be taken: the call must not run, and the model is told `reason`. */
  readonly refused?: { readonly reason: string; readonly raw: string };
}

/** Tokens of one request. `input` counts uncached input only; `totalTokens` is the sum of all four. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly totalTokens: number;
  /** USD, by kind; zero where the price is not known. */
  readonly cost?: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly total: number;
  };
}

/** Why an assistant message ended. */
export type StopReason = "stop" | "length" | "toolUse" | "error" | "aborted";

export interface UserMessage {
  readonly role: "user";
  readonly content: string | readonly (TextContent | ImageContent)[];
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
}

export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: readonly (TextContent | ThinkingContent | ToolCall)[];
  readonly provider: string;
  readonly model: string;
  readonly usage?: Usage;
  readonly stopReason: StopReason;
  /** Present when `stopReason` is `error`. */
  readonly failure?: ProviderFailure;
  readonly errorMessage?: string;
  /** Opaque fields that must go back to the same server with this message (signatures, reasoning details). */
  readonly keep?: JsonObject;
  readonly timestamp: number;
}

export interface ToolResultMessage {
  readonly role: "toolResult";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly content: readonly (TextContent | ImageContent)[];
  readonly details?: JsonObject;
  readonly isError: boolean;
  readonly timestamp: number;
}

/** A message as providers take it. */
export type Message = UserMessage | AssistantMessage | ToolResultMessage;

/** A message that an extension put into the conversation; the model gets it with the user's role (R188, R199). */
export interface CustomMessage {
  readonly role: "custom";
  readonly customType: string;
  readonly content: string | readonly (TextContent | ImageContent)[];
  /** Whether a screen shows it; the model gets it either way. */
  readonly display: boolean;
  readonly details?: JsonObject;
  readonly timestamp: number;
}

/** A command that the person ran with `!`, or with `!!` to keep it from the model. */
export interface BashExecutionMessage {
  readonly role: "bashExecution";
  readonly command: string;
  readonly output: string;
  /** Absent when the command was ended before it had one. */
  readonly exitCode?: number;
  readonly cancelled: boolean;
  readonly truncated: boolean;
  readonly fullOutputPath?: string;
  /** Typed with `!!`. */
  readonly excludeFromContext?: boolean;
  readonly timestamp: number;
}

/** What stands for the messages before a compaction. */
export interface CompactionSummaryMessage {
  readonly role: "compactionSummary";
  readonly summary: string;
  /** Estimated tokens of the context before it was shortened. */
  readonly tokensBefore: number;
  readonly timestamp: number;
}

/** What stands for a branch that was left. */
export interface BranchSummaryMessage {
  readonly role: "branchSummary";
  readonly summary: string;
  /** Entry at which the branch that was left ended. */
  readonly fromId: string;
  readonly timestamp: number;
}

/** A message of the conversation, in the order in which it happened; converted to `Message`s for each request. */
export type AgentMessage =
  | Message
  | CustomMessage
  | BashExecutionMessage
  | CompactionSummaryMessage
  | BranchSummaryMessage;

/** Whether providers take a message as it is. */
export function isPlain(message: AgentMessage): message is Message {
  return message.role === "user" || message.role === "assistant" || message.role === "toolResult";
}

/** The tool calls of an assistant message, in the order given. */
export function toolCallsOf(message: AssistantMessage): readonly ToolCall[] {
  return message.content.filter((part) => part.type === "toolCall");
}

/** The visible text of a message's content, parts joined without a separator. */
export function textOf(content: string | readonly { readonly type: string }[]): string {
  if (typeof content === "string") return content;
  return content.filter((part): part is TextContent => part.type === "text").map((part) => part.text).join("");
}
