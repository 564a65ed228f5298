/**
 * What an extension imports: `import { defineExtension } from "sandpiper"`.
 *
 * An extension runs in a worker of its own, with no permissions but those that its manifest declares and the user granted.
 * Whatever it does to the session goes through the objects below, so all methods that ask the program something are
 * asynchronous.
 *
 * @module
 */
import type {
  ContextUsage,
  CustomDraft,
  Delivery,
  DialogOptions,
  ExecResult,
  ExtensionFacts,
  ToolInfo,
} from "../../core/host_actions.ts";
import type { HookEvent, HookName, HookResult } from "../../core/hook_events.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { ImageContent, TextContent } from "../../core/message.ts";
import type { ThinkingLevel } from "../../core/provider.ts";
import type { SessionEntry } from "../../core/session.ts";
import type { ToolResult } from "../../core/tool_result.ts";

export type {
  AgentMessage,
  AssistantMessage,
  BashExecutionMessage,
  BranchSummaryMessage,
  CompactionSummaryMessage,
  CustomMessage,
  ImageContent,
  Message,
  StopReason,
  TextContent,
  ThinkingContent,
  ToolCall,
  ToolResultMessage,
  Usage,
  UserMessage,
} from "../../core/message.ts";
export type { JsonObject, JsonValue } from "../../core/json.ts";
export type { FailureKind, ProviderFailure, ThinkingLevel } from "../../core/provider.ts";
export type * from "../../core/session.ts";
export type * from "../../core/hook_decisions.ts";
export type * from "../../core/hook_events.ts";
export type * from "../../core/event.ts";
export type * from "../../core/compiled_prompt.ts";
export type * from "../../core/prompt.ts";
export type {
  ContextUsage,
  CustomDraft,
  Delivery,
  DialogOptions,
  ExecResult,
  ExtensionFacts,
  ToolInfo,
} from "../../core/host_actions.ts";
export type { ExtensionPermissions } from "../../core/hook.ts";
export type { ToolResult } from "../../core/tool_result.ts";

/** Questions and messages to the person. Where nobody can be asked, questions are answered with `undefined` or `false`. */
export interface ExtensionUi {
  /** One of `options`, or undefined. Time spent waiting does not count against the extension. */
  select(title: string, options: readonly string[], dialog?: Dialog): Promise<string | undefined>;
  /** Whether the person said yes. */
  confirm(title: string, message: string, dialog?: Dialog): Promise<boolean>;
  /** A line of text, or undefined. */
  input(title: string, placeholder?: string, dialog?: Dialog): Promise<string | undefined>;
  /** Shows a message once; `info` unless told otherwise. */
  notify(message: string, level?: "info" | "warning" | "error"): Promise<void>;
  /** Shows a line until it is replaced; without text it goes away. */
  setStatus(key: string, text?: string): Promise<void>;
}

/** How long a question stays. */
export interface Dialog extends DialogOptions {
  /** Takes the question away when it aborts. */
  readonly signal?: AbortSignal;
}

/** What a handler, a command and a tool get besides their input. */
export interface ExtensionContext
  extends ExtensionFacts, Pick<ExtensionApi, "ui" | "exec" | "getSystemPrompt" | "getContextUsage" | "compact"> {
  /** Aborts when the result is not wanted any more. */
  readonly signal: AbortSignal;
  /** The model that answers. */
  getModel(): Promise<{ readonly provider: string; readonly id: string } | undefined>;
  /** Entries of the session from the first one to the leaf. */
  getEntries(): Promise<readonly SessionEntry[]>;
  /** Whether no run is going on. */
  isIdle(): Promise<boolean>;
  /** Ends the run that is going on. */
  abort(): Promise<void>;
}

/** Where and how long a program runs. */
export interface ExecOptions {
  /** The workspace unless told otherwise. */
  readonly cwd?: string;
  /** It is ended after this. */
  readonly timeoutMs?: number;
  /** It is ended when this aborts. */
  readonly signal?: AbortSignal;
}

/** Listens to an event. What it may return stands in the event's type; it may throw, which is reported by name. */
export type Handler<N extends HookName> = (
  event: HookEvent<N>,
  ctx: ExtensionContext,
) => HookResult<N> | void | Promise<HookResult<N> | void>;

/** A tool for the model. */
export interface ToolRegistration {
  /** Letters, digits, `_` and `-`, at most 64. */
  readonly name: string;
  /** For the model, beside the schema. */
  readonly description: string;
  /** One line for the system prompt; when left out, its name or, for that of a built-in tool, the line of that one. */
  readonly promptSnippet?: string;
  /** Sentences for the system prompt while the tool is active. */
  readonly promptGuidelines?: readonly string[];
  /** JSON Schema of the arguments: an object schema. */
  readonly parameters: JsonObject;
  /**
   * Runs one call in the extension's worker. A string is a text result; what it throws becomes an error result.
   *
   * `onUpdate` shows partial results; calls after the end are ignored.
   */
  execute(
    toolCallId: string,
    // deno-lint-ignore no-explicit-any -- arguments have the shape of `parameters`, which types cannot follow
    params: any,
    signal: AbortSignal,
    onUpdate: (partial: ToolResult | string) => void,
    ctx: ExtensionContext,
  ): ToolResult | string | Promise<ToolResult | string>;
}

/** A slash command for the person. */
export interface CommandRegistration {
  /** For the list of commands. */
  readonly description?: string;
  /** `args` is the text after the command's name, trimmed. */
  handler(args: string, ctx: ExtensionContext): void | Promise<void>;
}

/** A command-line flag. */
export interface FlagRegistration {
  /** Whether it takes a value. */
  readonly type: "boolean" | "string";
  /** For the help text. */
  readonly description?: string;
  /** Its value when it is not given. */
  readonly default?: boolean | string;
}

/** What an extension's factory gets. */
export interface ExtensionApi {
  /** Listens to an event; the returned function stops it. */
  on<N extends HookName>(event: N, handler: Handler<N>): () => void;
  /** Brings a tool, at any time; the returned function takes it away. */
  registerTool(tool: ToolRegistration): () => void;
  /** Brings `/name`; the returned function takes it away. */
  registerCommand(name: string, command: CommandRegistration): () => void;
  /** Brings `--flag name`. */
  registerFlag(name: string, flag: FlagRegistration): void;
  /** Value of a flag: known from `session_start` on. */
  getFlag(name: string): boolean | string | undefined;
  /** Puts a message into the conversation. */
  sendMessage(
    message: Omit<CustomDraft, "display"> & { readonly display?: boolean },
    options?: { readonly triggerTurn?: boolean; readonly deliverAs?: Delivery },
  ): Promise<void>;
  /** Sends a prompt in the person's place. */
  sendUserMessage(
    content: string | readonly (TextContent | ImageContent)[],
    options?: { readonly deliverAs?: "steer" | "followUp" },
  ): Promise<void>;
  /** Keeps data in the session; the model does not see it. */
  appendEntry(customType: string, data?: JsonValue): Promise<void>;
  /** Names of the tools that the model has. */
  getActiveTools(): Promise<readonly string[]>;
  /** All tools there are, active or not. */
  getAllTools(): Promise<readonly ToolInfo[]>;
  /** Takes effect with the next prompt. */
  setActiveTools(names: readonly string[]): Promise<void>;
  /** `provider/id` or an id; false when it cannot be used. */
  setModel(model: string): Promise<boolean>;
  /** How hard the model thinks. */
  getThinkingLevel(): Promise<ThinkingLevel>;
  /** Takes effect with the next request. */
  setThinkingLevel(level: ThinkingLevel): Promise<void>;
  /** Runs a program in the tools' scope. */
  exec(command: string, args?: readonly string[], options?: ExecOptions): Promise<ExecResult>;
  /** Questions and messages to the person. */
  readonly ui: ExtensionUi;
  /** The system prompt as it is now. */
  getSystemPrompt(): Promise<string>;
  /** How full the window of the model is; undefined before the first request. */
  getContextUsage(): Promise<ContextUsage | undefined>;
  /** Shortens the history now. */
  compact(options?: { readonly customInstructions?: string }): Promise<void>;
  /** The name that the session was given. */
  getSessionName(): Promise<string | undefined>;
  /** Names the session. */
  setSessionName(name: string): Promise<void>;
  /** Names an entry of the session; without a label it takes the name away. */
  setLabel(entryId: string, label?: string): Promise<void>;
}

/** Registers all that an extension brings; it has a few seconds. */
export type ExtensionFactory = (sp: ExtensionApi) => void | Promise<void>;

/**
 * Marks a function as an extension: `export default defineExtension((sp) => { … })`.
 *
 * It only gives the function its types: any default-exported function is an extension.
 */
export function defineExtension(factory: ExtensionFactory): ExtensionFactory {
  return factory;
}
