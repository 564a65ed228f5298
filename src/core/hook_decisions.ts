// What handlers of the events whose result counts get and give back. Fields are those that extensions of pi know.
import type { CompactionReason, CompactionResult } from "./event.ts";
import type { CustomDraft } from "./host_actions.ts";
import type { JsonObject } from "./json.ts";
import type { AgentMessage, ImageContent, TextContent } from "./message.ts";
import type { SessionEntry } from "./session.ts";

/** Where a prompt came from. Words on the command line and piped text are `interactive`. */
export type InputSource = "interactive" | "rpc" | "extension";

/** The raw text before `/skill:` and templates are expanded (R166). */
export interface InputEvent {
  /** What was typed or sent, commands and templates not expanded. */
  readonly text: string;
  /** Pictures that go with it. */
  readonly images?: readonly ImageContent[];
  /** Where it came from. */
  readonly source: InputSource;
  /** Set while a run goes on: how the text will be queued. */
  readonly streamingBehavior?: "steer" | "followUp";
}

/** What becomes of the text: as it is, another one, or nothing more because the handler did all there was to do. */
export type InputResult =
  | { readonly action: "continue" }
  | { readonly action: "transform"; readonly text: string; readonly images?: readonly ImageContent[] }
  | { readonly action: "handled" };

/** A prompt that is about to start a run. */
export interface BeforeAgentStartEvent {
  /** Expanded. */
  readonly prompt: string;
  /** Pictures that go with it. */
  readonly images?: readonly ImageContent[];
  /** As the handlers before left it (R182). */
  readonly systemPrompt: string;
}

/** What a handler adds to the prompt. */
export interface BeforeAgentStartResult {
  /** Used for this prompt and no other (R183, R446). */
  readonly systemPrompt?: string;
  /** Joins the conversation after the prompt. */
  readonly message?: CustomDraft;
}

/** A tool call that was checked and is about to run. */
export interface ToolCallEvent {
  /** Name of the tool. */
  readonly toolName: string;
  /** Id of the call, as the server gave it. */
  readonly toolCallId: string;
  /** A copy: changing it changes nothing (R208). */
  readonly input: JsonObject;
}

/** Whether a call may run. */
export interface ToolCallResult {
  /** True: it must not. */
  readonly block?: boolean;
  /** For the model. */
  readonly reason?: string;
}

/** A tool call that ran, and what came of it. */
export interface ToolResultEvent extends ToolCallEvent {
  /** What the model would get. */
  readonly content: readonly (TextContent | ImageContent)[];
  /** For readers of events. */
  readonly details?: JsonObject;
  /** Whether it failed. */
  readonly isError: boolean;
}

/** Fields that replace those of the result. */
export type ToolResultPatch = Partial<Pick<ToolResultEvent, "content" | "details" | "isError">>;

/** A command that the person typed after `!` or `!!`. */
export interface UserBashEvent {
  /** Without the marks. */
  readonly command: string;
  /** Typed with `!!`. */
  readonly excludeFromContext: boolean;
  /** Where it would run: absolute. */
  readonly cwd: string;
}

/** Refuses the command, or stands for its outcome. */
export interface UserBashResult {
  /** True: it must not run. */
  readonly block?: boolean;
  /** For the person. */
  readonly reason?: string;
  /** Stands for what the command would have given. */
  readonly result?: {
    readonly output: string;
    readonly exitCode?: number;
    readonly cancelled?: boolean;
    readonly truncated?: boolean;
  };
}

/** A history that is about to be shortened. */
export interface SessionBeforeCompactEvent {
  /** What would be summarised, and where the cut is. */
  readonly preparation: {
    readonly messagesToSummarize: readonly AgentMessage[];
    readonly firstKeptEntryId: string;
    readonly tokensBefore: number;
    readonly previousSummary?: string;
  };
  /** Entries of the session from the first one to the leaf. */
  readonly branchEntries: readonly SessionEntry[];
  /** What the person asked the summary to hold. */
  readonly customInstructions?: string;
  /** Why it is shortened. */
  readonly reason: CompactionReason;
  /** The request that did not fit is made again afterwards. */
  readonly willRetry: boolean;
}

/** What a handler makes of it. */
export interface SessionBeforeCompactResult {
  /** True: it is not shortened. */
  readonly cancel?: boolean;
  /** Used instead of the built-in summary. */
  readonly compaction?: CompactionResult;
}

/** The person is about to go to another place in the session. */
export interface SessionBeforeTreeEvent {
  /** From where to where, and what would be summarised. */
  readonly preparation: {
    readonly targetId: string;
    readonly oldLeafId: string | null;
    readonly commonAncestorId: string | null;
    readonly entriesToSummarize: readonly SessionEntry[];
    readonly userWantsSummary: boolean;
  };
}

/** What a handler makes of it. */
export interface SessionBeforeTreeResult {
  /** True: stay. */
  readonly cancel?: boolean;
  /** Used instead of the built-in summary of the branch that is left. */
  readonly summary?: { readonly summary: string; readonly details?: JsonObject };
  /** For the built-in summary. */
  readonly customInstructions?: string;
  /** They replace its own instructions. */
  readonly replaceInstructions?: boolean;
  /** Names the entry that is gone to. */
  readonly label?: string;
}

/** Files that join those of the configuration folders; relative paths start at the extension's folder. */
export interface ResourcePaths {
  /** Folders of skills. */
  readonly skillPaths?: readonly string[];
  /** Files of templates, or folders of them. */
  readonly promptPaths?: readonly string[];
  /** Accepted, and of no use to a screen without themes. */
  readonly themePaths?: readonly string[];
}
