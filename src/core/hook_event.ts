// Every event that extensions can listen to: what a handler gets and what it may return. Names and fields are those that
// extensions of pi know; src/hooks/table.ts says how results are combined and what a failing handler means.
import type { AgentEvent, CompactionReason } from "./event.ts";
import type { CustomDraft } from "./host_actions.ts";
import type { JsonObject } from "./json.ts";
import type { AgentMessage, ImageContent, TextContent } from "./message.ts";
import type { CompactionEntry, SessionEntry } from "./session.ts";

/** Where a prompt came from. Words on the command line and piped text are `interactive`. */
export type InputSource = "interactive" | "rpc" | "extension";

/** The raw text before `/skill:` and templates are expanded (R166). */
export interface InputEvent {
  readonly text: string;
  readonly images?: readonly ImageContent[];
  readonly source: InputSource;
  /** Set while a run goes on: how the text will be queued. */
  readonly streamingBehavior?: "steer" | "followUp";
}

/** What becomes of the text: as it is, another one, or nothing more because the handler did all there was to do. */
export type InputResult =
  | { readonly action: "continue" }
  | { readonly action: "transform"; readonly text: string; readonly images?: readonly ImageContent[] }
  | { readonly action: "handled" };

export interface BeforeAgentStartEvent {
  /** Expanded. */
  readonly prompt: string;
  readonly images?: readonly ImageContent[];
  /** As the handlers before left it (R182). */
  readonly systemPrompt: string;
}

export interface BeforeAgentStartResult {
  /** Used for this prompt and no other (R183, R446). */
  readonly systemPrompt?: string;
  readonly message?: CustomDraft;
}

export interface ToolCallEvent {
  readonly toolName: string;
  readonly toolCallId: string;
  /** A copy: changing it changes nothing (R208). */
  readonly input: JsonObject;
}

export interface ToolCallResult {
  readonly block?: boolean;
  /** For the model. */
  readonly reason?: string;
}

export interface ToolResultEvent extends ToolCallEvent {
  readonly content: readonly (TextContent | ImageContent)[];
  readonly details?: JsonObject;
  readonly isError: boolean;
}

/** Fields that replace those of the result. */
export interface ToolResultPatch {
  readonly content?: readonly (TextContent | ImageContent)[];
  readonly details?: JsonObject;
  readonly isError?: boolean;
}

export interface UserBashEvent {
  readonly command: string;
  /** Typed with `!!`. */
  readonly excludeFromContext: boolean;
  readonly cwd: string;
}

/** Refuses the command, or stands for its outcome. */
export interface UserBashResult {
  readonly block?: boolean;
  readonly reason?: string;
  readonly result?: {
    readonly output: string;
    readonly exitCode?: number;
    readonly cancelled?: boolean;
    readonly truncated?: boolean;
  };
}

export interface SessionBeforeCompactEvent {
  readonly preparation: {
    readonly messagesToSummarize: readonly AgentMessage[];
    readonly firstKeptEntryId: string;
    readonly tokensBefore: number;
    readonly previousSummary?: string;
  };
  readonly branchEntries: readonly SessionEntry[];
  readonly customInstructions?: string;
  readonly reason: CompactionReason;
  readonly willRetry: boolean;
}

export interface SessionBeforeCompactResult {
  readonly cancel?: boolean;
  /** Used instead of the built-in summary. */
  readonly compaction?: {
    readonly summary: string;
    readonly firstKeptEntryId: string;
    readonly tokensBefore: number;
    readonly details?: JsonObject;
  };
}

export interface SessionBeforeTreeEvent {
  readonly preparation: {
    readonly targetId: string;
    readonly oldLeafId: string | null;
    readonly commonAncestorId: string | null;
    readonly entriesToSummarize: readonly SessionEntry[];
    readonly userWantsSummary: boolean;
  };
}

export interface SessionBeforeTreeResult {
  readonly cancel?: boolean;
  readonly summary?: { readonly summary: string; readonly details?: JsonObject };
  readonly customInstructions?: string;
  readonly replaceInstructions?: boolean;
  readonly label?: string;
}

/** Files that join those of the configuration folders; relative paths start at the extension's folder. */
export interface ResourcePaths {
  readonly skillPaths?: readonly string[];
  readonly promptPaths?: readonly string[];
  readonly themePaths?: readonly string[];
}

/** What starts or ends a session. */
export type SessionReason = "startup" | "reload" | "new" | "resume" | "fork" | "quit";

/** Events with a result: the type table. */
export interface DecisionEvents {
  readonly input: { readonly event: InputEvent; readonly result: InputResult };
  readonly before_agent_start: { readonly event: BeforeAgentStartEvent; readonly result: BeforeAgentStartResult };
  readonly context: {
    /** A deep copy; only what is returned counts (R192). */
    readonly event: { readonly messages: readonly AgentMessage[] };
    readonly result: { readonly messages?: readonly AgentMessage[] };
  };
  readonly before_provider_request: { readonly event: { readonly payload: JsonObject }; readonly result: JsonObject };
  readonly before_provider_headers: {
    /** Headers that carry credentials are neither shown nor taken. */
    readonly event: { readonly headers: Readonly<Record<string, string | null>> };
    /** Added to the request; null takes a header away. Changing `event.headers` does the same. */
    readonly result: { readonly headers?: Readonly<Record<string, string | null>> };
  };
  readonly tool_call: { readonly event: ToolCallEvent; readonly result: ToolCallResult };
  readonly tool_result: { readonly event: ToolResultEvent; readonly result: ToolResultPatch };
  readonly user_bash: { readonly event: UserBashEvent; readonly result: UserBashResult };
  readonly resources_discover: {
    readonly event: { readonly cwd: string; readonly reason: "startup" | "reload" };
    readonly result: ResourcePaths;
  };
  readonly session_before_switch: {
    readonly event: { readonly reason: "new" | "resume"; readonly targetSessionFile?: string };
    readonly result: { readonly cancel?: boolean };
  };
  readonly session_before_fork: {
    readonly event: { readonly entryId: string; readonly position: "before" | "at" };
    readonly result: { readonly cancel?: boolean; readonly skipConversationRestore?: boolean };
  };
  readonly session_before_compact: {
    readonly event: SessionBeforeCompactEvent;
    readonly result: SessionBeforeCompactResult;
  };
  readonly session_before_tree: { readonly event: SessionBeforeTreeEvent; readonly result: SessionBeforeTreeResult };
}

/** Events that only tell, besides those of the run: what has happened to session, model and surroundings. */
export type SessionNotice =
  | { readonly type: "session_start"; readonly reason: SessionReason; readonly previousSessionFile?: string }
  | { readonly type: "session_shutdown"; readonly reason: SessionReason; readonly targetSessionFile?: string }
  | { readonly type: "session_info_changed"; readonly name: string }
  | {
    readonly type: "session_compact";
    readonly compactionEntry: CompactionEntry;
    readonly fromExtension: boolean;
    readonly reason: CompactionReason;
    readonly willRetry: boolean;
  }
  | {
    readonly type: "session_compact_failed";
    readonly errorMessage?: string;
    readonly aborted: boolean;
    readonly reason: CompactionReason;
  }
  | {
    readonly type: "session_tree";
    readonly newLeafId: string | null;
    readonly oldLeafId: string | null;
    readonly fromExtension?: boolean;
  }
  | {
    readonly type: "model_select";
    readonly model: { readonly provider: string; readonly id: string };
    readonly previousModel?: { readonly provider: string; readonly id: string };
    readonly source: "set" | "cycle" | "restore";
  }
  | {
    readonly type: "thinking_level_select";
    readonly level: string;
    readonly previousLevel: string;
    readonly source: "set" | "cycle" | "restore";
  }
  | {
    readonly type: "after_provider_response";
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
  }
  | { readonly type: "mcp_servers_change"; readonly servers: readonly string[] }
  | { readonly type: "ui_prompt_start" | "ui_prompt_end"; readonly kind: string; readonly title?: string };

/** Whatever can be observed and not changed; `turn_start` and `turn_end` reach handlers with `turnIndex` besides. */
export type ObservedEvent = AgentEvent | SessionNotice;

type Timed<E> = E extends { readonly type: "turn_start" }
  ? E & { readonly turnIndex: number; readonly timestamp: number }
  : E extends { readonly type: "turn_end" } ? E & { readonly turnIndex: number }
  : E;

type ObservedEvents = {
  readonly [E in ObservedEvent as E["type"]]: { readonly event: Timed<E>; readonly result: undefined };
};

/** The one type table: event → payload and result. */
export type HookEvents = DecisionEvents & ObservedEvents;

/** Name of an event. */
export type HookName = keyof HookEvents;

/** Name of an event whose result counts. */
export type DecisionName = keyof DecisionEvents;

/** What a handler of an event gets. */
export type HookEvent<N extends HookName> = HookEvents[N]["event"] & { readonly type: N };

/** What a handler of an event may return. */
export type HookResult<N extends HookName> = HookEvents[N]["result"];
