// Every event that extensions can listen to: what a handler gets and what it may return. Names are those that extensions
// of pi know; src/hooks/events/decisions.ts says what a result is, how results are combined and what a failing handler means.
import type { AgentEvent, CompactionReason } from "./event.ts";
import type {
  BeforeAgentStartEvent,
  BeforeAgentStartResult,
  InputEvent,
  InputResult,
  ResourcePaths,
  SessionBeforeCompactEvent,
  SessionBeforeCompactResult,
  SessionBeforeTreeEvent,
  SessionBeforeTreeResult,
  ToolCallEvent,
  ToolCallResult,
  ToolResultEvent,
  ToolResultPatch,
  UserBashEvent,
  UserBashResult,
} from "./hook_decisions.ts";
import type { JsonObject } from "./json.ts";
import type { AgentMessage } from "./message.ts";
import type { CompactionEntry } from "./session.ts";

/** What starts or ends a session. */
export type SessionReason = "startup" | "reload" | "new" | "resume" | "fork" | "quit";

/** Events with a result: the type table. */
export interface DecisionEvents {
  /** Text that came in. */
  readonly input: { readonly event: InputEvent; readonly result: InputResult };
  /** Once for each prompt, before its run. */
  readonly before_agent_start: { readonly event: BeforeAgentStartEvent; readonly result: BeforeAgentStartResult };
  /** Before every request. */
  readonly context: {
    /** A deep copy; only what is returned counts (R192). */
    readonly event: { readonly messages: readonly AgentMessage[] };
    readonly result: { readonly messages?: readonly AgentMessage[] };
  };
  /** The whole payload, right before it is sent. A handler returns the body that replaces it, or `{ payload }` with that body. */
  readonly before_provider_request: { readonly event: { readonly payload: JsonObject }; readonly result: JsonObject };
  /** Headers of the request. */
  readonly before_provider_headers: {
    /** Headers that carry credentials are neither shown nor taken. */
    readonly event: { readonly headers: Readonly<Record<string, string | null>> };
    /** Added to the request; null takes a header away. Changing `event.headers` does the same. */
    readonly result: { readonly headers?: Readonly<Record<string, string | null>> };
  };
  /** Before a tool runs. */
  readonly tool_call: { readonly event: ToolCallEvent; readonly result: ToolCallResult };
  /** After a tool ran. */
  readonly tool_result: { readonly event: ToolResultEvent; readonly result: ToolResultPatch };
  /** Before a command of the person runs. */
  readonly user_bash: { readonly event: UserBashEvent; readonly result: UserBashResult };
  /** At start and at each reload. */
  readonly resources_discover: {
    readonly event: { readonly cwd: string; readonly reason: "startup" | "reload" };
    readonly result: ResourcePaths;
  };
  /** Before another session is opened. */
  readonly session_before_switch: {
    readonly event: { readonly reason: "new" | "resume"; readonly targetSessionFile?: string };
    readonly result: { readonly cancel?: boolean };
  };
  /** Before a session is forked. */
  readonly session_before_fork: {
    readonly event: { readonly entryId: string; readonly position: "before" | "at" };
    readonly result: { readonly cancel?: boolean; readonly skipConversationRestore?: boolean };
  };
  /** Before the history is shortened. */
  readonly session_before_compact: {
    readonly event: SessionBeforeCompactEvent;
    readonly result: SessionBeforeCompactResult;
  };
  /** Before another place of the session is gone to. */
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

/** An event of the run with what is added for handlers. */
export type Timed<E> = E extends { readonly type: "turn_start" }
  ? E & { readonly turnIndex: number; readonly timestamp: number }
  : E extends { readonly type: "turn_end" } ? E & { readonly turnIndex: number }
  : E;

/** Payloads of the events that only tell, by name. */
export type ObservedEvents = {
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
