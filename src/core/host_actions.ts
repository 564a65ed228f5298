import type { JsonObject, JsonValue } from "./json.ts";
import type { CustomMessage, ImageContent, TextContent } from "./message.ts";
import type { ThinkingLevel } from "./provider.ts";
import type { SessionEntry } from "./session.ts";

/** Who asks, and when to stop: aborts when the extension ends or does not want the answer any more. */
export interface HostCall {
  /** The extension's name. */
  readonly extension: string;
  /** Aborts when the answer is not wanted any more. */
  readonly signal: AbortSignal;
}

/** A message that an extension puts into the conversation; the host adds role and time. */
export type CustomDraft = Omit<CustomMessage, "role" | "timestamp">;

/** When a message is delivered: after the tool call at hand, when the model is done, or with the next prompt. */
export type Delivery = "steer" | "followUp" | "nextTurn";

/** How a program ended that an extension asked for. */
export interface ExecResult {
  /** What it printed. */
  readonly stdout: string;
  /** What it printed as errors. */
  readonly stderr: string;
  /** Exit code. */
  readonly code: number;
  /** It was ended by its time limit or by an abort. */
  readonly killed: boolean;
}

/** A tool as `getAllTools` lists it. */
export interface ToolInfo {
  /** As the model calls it. */
  readonly name: string;
  /** For the model. */
  readonly description: string;
}

/** How full the model's window is, by the last request. */
export interface ContextUsage {
  /** Tokens of the last request. */
  readonly tokens: number;
  /** Tokens that fit. */
  readonly contextWindow: number;
  /** From 0 to 100. */
  readonly percent: number;
}

/** Bounds of a question to the person. */
export interface DialogOptions {
  /** After this the question goes away and counts as not answered. */
  readonly timeoutMs?: number;
}

/**
 * How extensions speak with the person. Texts are free of terminal controls when they arrive here.
 *
 * Every question must settle when `call.signal` aborts. Where nobody can be asked, questions settle at once as not
 * answered: `undefined`, or `false` for `confirm`.
 */
export interface HostUi {
  /** One of `options`, or nothing. */
  select(
    title: string,
    options: readonly string[],
    dialog: DialogOptions,
    call: HostCall,
  ): Promise<string | undefined>;
  /** Whether the person said yes. */
  confirm(title: string, message: string, dialog: DialogOptions, call: HostCall): Promise<boolean>;
  /** A line of text, or nothing. */
  input(title: string, placeholder: string, dialog: DialogOptions, call: HostCall): Promise<string | undefined>;
  /** Shows a message once. */
  notify(message: string, level: "info" | "warning" | "error", call: HostCall): Promise<void>;
  /** A line that stays until it is replaced; without text it goes away. */
  setStatus(key: string, text: string | undefined, call: HostCall): Promise<void>;
}

/**
 * What extensions can do to the session; the engine implements it.
 *
 * Arguments are checked before they arrive. A rejection reaches the extension as an error with the same message, so that
 * message must hold no secret.
 */
export interface HostActions {
  readonly ui: HostUi;
  /** Puts a message into the conversation at any time (R229); `triggerTurn` starts a run when none is going on. */
  sendMessage(
    message: CustomDraft,
    options: { readonly triggerTurn?: boolean; readonly deliverAs?: Delivery },
    call: HostCall,
  ): Promise<void>;
  /** Sends a prompt in the person's place, with source `extension`. */
  sendUserMessage(
    content: string | readonly (TextContent | ImageContent)[],
    options: { readonly deliverAs?: "steer" | "followUp" },
    call: HostCall,
  ): Promise<void>;
  /** Keeps data in the session, beside the conversation. */
  appendEntry(customType: string, data: JsonValue | undefined, call: HostCall): Promise<void>;
  /** Entries from the first one to the leaf. */
  getEntries(call: HostCall): Promise<readonly SessionEntry[]>;
  getActiveTools(call: HostCall): Promise<readonly string[]>;
  getAllTools(call: HostCall): Promise<readonly ToolInfo[]>;
  /** Takes effect with the next prompt, never in the middle of a request (R230, R447). Unknown names are an error. */
  setActiveTools(names: readonly string[], call: HostCall): Promise<void>;
  getModel(call: HostCall): Promise<{ readonly provider: string; readonly id: string } | undefined>;
  /** `provider/id` or an id; false when it cannot be used. */
  setModel(model: string, call: HostCall): Promise<boolean>;
  getThinkingLevel(call: HostCall): Promise<ThinkingLevel>;
  setThinkingLevel(level: ThinkingLevel, call: HostCall): Promise<void>;
  /** Runs a program in the tools' scope, never wider. */
  exec(
    command: string,
    args: readonly string[],
    options: { readonly cwd?: string; readonly timeoutMs?: number },
    call: HostCall,
  ): Promise<ExecResult>;
  getSystemPrompt(call: HostCall): Promise<string>;
  getContextUsage(call: HostCall): Promise<ContextUsage | undefined>;
  compact(options: { readonly customInstructions?: string }, call: HostCall): Promise<void>;
  getSessionName(call: HostCall): Promise<string | undefined>;
  setSessionName(name: string, call: HostCall): Promise<void>;
  /** Names an entry; without a label it takes the name away. */
  setLabel(entryId: string, label: string | undefined, call: HostCall): Promise<void>;
  isIdle(call: HostCall): Promise<boolean>;
  /** Ends the run that is going on. */
  abort(call: HostCall): Promise<void>;
}

/** Facts that do not change while an extension lives. */
export interface ExtensionFacts {
  /** The workspace: absolute. */
  readonly cwd: string;
  /** How the program is used. */
  readonly mode: "interactive" | "text" | "json" | "rpc";
  /** Whether somebody can be asked. */
  readonly hasUI: boolean;
}

/** A tool that an extension brought, as prompt and provider see it. */
export interface ExtensionTool {
  readonly extension: string;
  readonly name: string;
  readonly description: string;
  readonly promptSnippet?: string;
  readonly promptGuidelines?: readonly string[];
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject;
}

/** A slash command that an extension brought; `name` is without the slash. */
export interface ExtensionCommand {
  readonly extension: string;
  readonly name: string;
  readonly description: string;
}

/** A command-line flag that an extension brought; `name` is without the dashes. */
export interface ExtensionFlag {
  readonly extension: string;
  readonly name: string;
  readonly type: "boolean" | "string";
  readonly description: string;
  readonly default?: boolean | string;
}
