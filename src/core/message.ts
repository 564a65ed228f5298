import type { JsonObject } from "./json.ts";
import type { ProviderFailure } from "./provider.ts";

/** Plain text in a message. */
export interface TextContent {
  /** Kind of the part. */
  readonly type: "text";
  /** The text. */
  readonly text: string;
}

/** A picture in a message; `data` is base64. */
export interface ImageContent {
  /** Kind of the part. */
  readonly type: "image";
  /** The picture's bytes, base64. */
  readonly data: string;
  /** For example `image/png`. */
  readonly mimeType: string;
}

/** Reasoning that the model showed. `field` is the wire name under which it came and has to go back. */
export interface ThinkingContent {
  /** Kind of the part. */
  readonly type: "thinking";
  /** The reasoning. */
  readonly thinking: string;
  /** Wire name under which it came and has to go back. */
  readonly field?: string;
}

/** One tool call of an assistant message. */
export interface ToolCall {
  /** Kind of the part. */
  readonly type: "toolCall";
  /** Exactly as the server sent it; made up when the server sent none. */
  readonly id: string;
  /** Name of the tool. */
  readonly name: string;
  /** What runs, what is stored and what goes back to the server; a refused call has the arguments as they came, or `{}` if they were no JSON object. */
  readonly arguments: JsonObject;
  /** Set when the arguments could not be taken: the call must not run, and the model is told `reason`. */
  readonly refused?: { readonly reason: string; readonly raw: string };
}

/** Tokens of one request. `input` counts uncached input only; `totalTokens` is the sum of all four. */
export interface Usage {
  /** Tokens of the input that no cache held. */
  readonly input: number;
  /** Tokens of the answer, with those of its reasoning. */
  readonly output: number;
  /** Those of them that were reasoning, where the server told. */
  readonly reasoningTokens?: number;
  /** Tokens that a cache held. */
  readonly cacheRead: number;
  /** Tokens that were put into a cache. */
  readonly cacheWrite: number;
  /** All four together. */
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

/** What every message of the conversation has. */
export interface SaidBy<Role extends string> {
  /** Who speaks. */
  readonly role: Role;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
}

/** What the person said. */
export interface UserMessage extends SaidBy<"user"> {
  /** What was said. */
  readonly content: string | readonly (TextContent | ImageContent)[];
}

/** What the model said. */
export interface AssistantMessage extends SaidBy<"assistant"> {
  /** Text, reasoning and calls in the order in which they came. */
  readonly content: readonly (TextContent | ThinkingContent | ToolCall)[];
  /** Provider that was asked. */
  readonly provider: string;
  /** Model that was asked. */
  readonly model: string;
  /** Tokens of the request, where the server told. */
  readonly usage?: Usage;
  /** Why it ended. */
  readonly stopReason: StopReason;
  /** Present when `stopReason` is `error`. */
  readonly failure?: ProviderFailure;
  /** The failure in one sentence. */
  readonly errorMessage?: string;
  /** Opaque fields that must go back to the same server with this message (signatures, reasoning details). */
  readonly keep?: JsonObject;
}

/** What came of a tool call. */
export interface ToolResultMessage extends SaidBy<"toolResult"> {
  /** Id of the call that it answers. */
  readonly toolCallId: string;
  /** Name of the tool. */
  readonly toolName: string;
  /** What the model gets. */
  readonly content: readonly (TextContent | ImageContent)[];
  /** For readers of events; never sent to the model. */
  readonly details?: JsonObject;
  /** Whether it failed. */
  readonly isError: boolean;
}

/** A message as providers take it. */
export type Message = UserMessage | AssistantMessage | ToolResultMessage;

/**
 * What a request says of its history in the system's place: the summary of a rolling history (R312, R313).
 *
 * Made for requests alone: no session, event or hook holds one, so that nothing from outside speaks with this role.
 */
export interface SystemMessage {
  /** Who speaks. */
  readonly role: "system";
  /** What the model gets. */
  readonly content: string;
}

/** A message of a request. */
export type RequestMessage = SystemMessage | Message;

/** A message that an extension put into the conversation; the model gets it with the user's role (R188, R199). */
export interface CustomMessage extends SaidBy<"custom"> {
  /** The extension's name for this kind of message. */
  readonly customType: string;
  /** What the model gets. */
  readonly content: string | readonly (TextContent | ImageContent)[];
  /** Whether a screen shows it; the model gets it either way. */
  readonly display: boolean;
  /** For readers of events; never sent to the model. */
  readonly details?: JsonObject;
}

/** A command that the person ran with `!`, or with `!!` to keep it from the model. */
export interface BashExecutionMessage extends SaidBy<"bashExecution"> {
  /** Without the marks. */
  readonly command: string;
  /** What it printed, cut where the bash tool cuts. */
  readonly output: string;
  /** Absent when the command was ended before it had one. */
  readonly exitCode?: number;
  /** Whether it was ended before its end. */
  readonly cancelled: boolean;
  /** Whether the output was cut. */
  readonly truncated: boolean;
  /** File that holds all of it, where it was cut. */
  readonly fullOutputPath?: string;
  /** Typed with `!!`. */
  readonly excludeFromContext?: boolean;
}

/** What stands for the messages before a compaction. */
export interface CompactionSummaryMessage extends SaidBy<"compactionSummary"> {
  /** The summary. */
  readonly summary: string;
  /** Estimated tokens of the context before it was shortened. */
  readonly tokensBefore: number;
  /** The same after it was shortened. */
  readonly tokensAfter?: number;
}

/** What stands for a branch that was left. */
export interface BranchSummaryMessage extends SaidBy<"branchSummary"> {
  /** The summary. */
  readonly summary: string;
  /** Entry at which the branch that was left ended. */
  readonly fromId: string;
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

/** The elements that `@FILE`, embedded resources and `/skill:NAME` become in a prompt. The end of a cut text ends them, too. */
const ELEMENT =
  /<file name="([^"\n]{1,4096})">[\s\S]*?(?:<\/file>|$)|<skill name="([^"\n]{1,256})" location="[^"\n]{1,4096}">[\s\S]*?(?:<\/skill>|$)/g;

/** A prompt in one line, as lists and titles show it: `@NAME` for a file and `/skill:NAME` for a skill, without their text. */
export function promptTitle(text: string): string {
  const short = text.replace(
    ELEMENT,
    (_all, file: string | undefined, skill: string) => file === undefined ? ` /skill:${skill} ` : ` @${nameIn(file)} `,
  );
  return short.replace(/\s+/g, " ").trim();
}

function nameIn(path: string): string {
  return path.split("/").findLast((part) => part !== "") ?? path;
}

/** Whether a reply is part of the conversation: failed and empty ones are not, servers refuse them. */
export function belongsInConversation(message: AssistantMessage): boolean {
  if (message.stopReason === "error") return false;
  return toolCallsOf(message).length > 0 || textOf(message.content).trim() !== "";
}
