import type { ChangeSet, FileChange } from "./changes.ts";
import type { JsonObject } from "./json.ts";
import type { AgentMessage, AssistantMessage, ToolResultMessage, Usage } from "./message.ts";
import type { Manifest } from "./compiled_prompt.ts";
import type { ToolResult } from "./tool_result.ts";

/** What a streaming assistant message gained: deltas only, never the text so far. */
export type AssistantDelta =
  | { readonly type: "text_delta"; readonly delta: string }
  | { readonly type: "thinking_delta"; readonly delta: string }
  | { readonly type: "toolcall_delta"; readonly index: number; readonly name?: string; readonly delta: string };

/** Why a run ended. `unproven`: the model said that it was done, and a check or the answer's schema did not hold. */
export type RunEnding = "done" | "error" | "aborted" | "limit" | "unproven";

/** Why the history is shortened. */
export type CompactionReason = "manual" | "threshold" | "overflow";

/** What a compaction made. */
export interface CompactionResult {
  /** What stands for the messages before. */
  readonly summary: string;
  /** The first entry that is still sent as it was. */
  readonly firstKeptEntryId: string;
  /** Estimated tokens of the context before. */
  readonly tokensBefore: number;
  /** Estimated tokens of the context after. */
  readonly tokensAfter?: number;
  /** What an extension that wrote the summary adds. */
  readonly details?: JsonObject;
}

/** What a run used up. Tokens are those of all its requests: failed attempts and summaries of the history count, too. */
export interface RunTotals extends Pick<Usage, "input" | "output" | "cacheRead" | "cacheWrite" | "totalTokens"> {
  /** Replies of the model. */
  readonly turns: number;
  /** Calls of tools that the model asked for. */
  readonly toolCalls: number;
  /** USD; absent where no price is known. */
  readonly cost?: number;
  /** Wall clock, milliseconds. */
  readonly durationMs: number;
}

/** What of the policy stood in the way of a tool call, and the smallest grant that would let it pass. */
export interface Denial {
  /** Scope that was missing. */
  readonly kind: "read" | "write" | "run" | "net";
  /** Absolute path, program or host that was refused; `*` when everything would have to be allowed. */
  readonly target: string;
  /** What `--allow-KIND=` would have to name: often the folder above; `*` for the bare option. */
  readonly grant: string;
}

/** How a person answers a denial; `project` is kept in the user's own settings for this workspace. */
export type PermissionAnswer = "once" | "session" | "project" | "no";

/** What became of planning. */
export type PlanPhase = "started" | "proposed" | "refused" | "accepted" | "left";

/** What a sub-agent may touch: absolute real paths and hosts. */
export interface SubAgentScope {
  /** What it may write besides private folders; empty: nothing. `*`: everything. */
  readonly write: readonly string[];
  /** What it may read besides programs; absent where that is what whoever started it may. */
  readonly read?: readonly string[];
  /** Whether it may run programs. */
  readonly run: boolean;
  /** Hosts; empty: none. `*`: all. */
  readonly net: readonly string[];
}

/** Who it is. */
export interface SubAgentStart {
  /** Unique in the session that a person sees: `a1`, and `a1.1` for the first that `a1` starts. */
  readonly agentId: string;
  /** The call that started it, in the conversation of whoever did. */
  readonly toolCallId: string;
  /** What it was asked to do, in a few words. */
  readonly description: string;
  /** The file that describes it: its name; absent for one without. */
  readonly agent?: string;
  /** What it may touch. */
  readonly scope: SubAgentScope;
  /** Of its own conversation. */
  readonly sessionId: string;
  /** Where that is kept, if it is. */
  readonly sessionFile?: string;
}

/** What came of it, counted by the program and not told by the model. */
export interface SubAgentEnd extends Pick<SubAgentStart, "agentId" | "toolCallId" | "sessionId" | "sessionFile"> {
  /** Why it ended. */
  readonly ending: RunEnding;
  /** Which limit, when `ending` is `limit`; `parent`: one of the run that started it. */
  readonly limit?: string;
  /** Why, in one sentence, when `ending` is `error` or `unproven`. */
  readonly reason?: string;
  /** What its calls changed; absent where nobody looked. */
  readonly files?: readonly FileChange[];
  /** Commands that decided whether it was done. */
  readonly checks: readonly { readonly command: string; readonly passed: boolean }[];
  /** What was denied to it, each once. */
  readonly denials: readonly Pick<Denial, "kind" | "target">[];
  /** What it used up, its own sub-agents included; absent when it was ended before it could count. */
  readonly totals?: RunTotals;
}

/** All that a screen, a session file, `--mode json` or RPC ever sees. Plain JSON values, in order of occurrence. */
export type AgentEvent =
  | { readonly type: "agent_start" }
  | { readonly type: "turn_start"; readonly turn: number }
  | { readonly type: "prompt_compiled"; readonly manifest: Manifest }
  | { readonly type: "message_start"; readonly message: AgentMessage }
  | { readonly type: "message_update"; readonly assistantMessageEvent: AssistantDelta }
  /** `discarded`: the text shown so far is void, because the attempt failed and is made again. */
  | { readonly type: "message_end"; readonly message: AgentMessage; readonly discarded?: boolean }
  | {
    readonly type: "tool_execution_start";
    readonly toolCallId: string;
    readonly toolName: string;
    readonly args: JsonObject;
  }
  | {
    readonly type: "tool_execution_update";
    readonly toolCallId: string;
    readonly toolName: string;
    readonly partialResult: ToolResult;
  }
  | {
    readonly type: "tool_execution_end";
    readonly toolCallId: string;
    readonly toolName: string;
    readonly result: ToolResult;
    readonly isError: boolean;
    /** Of the work, to a tenth: a wait for a person's answer is in `waitedMs`, which is there only when somebody was asked. */
    readonly durationMs: number;
    readonly waitedMs?: number;
  }
  /** In place of the three above: a call that did not run. */
  | {
    readonly type: "tool_call_rejected";
    readonly toolCallId: string;
    readonly toolName: string;
    /** As the model sent them; `{}` if they were no JSON object. */
    readonly args: JsonObject;
    /** `extension`: one blocked it, or its check failed. `program`: its tool is not active, or its arguments do not fit. */
    readonly by: "extension" | "program";
    /** What the model reads as the result. */
    readonly reason: string;
  }
  | {
    readonly type: "turn_end";
    readonly message: AssistantMessage;
    readonly toolResults: readonly ToolResultMessage[];
  }
  | {
    readonly type: "auto_retry_start";
    readonly attempt: number;
    readonly maxAttempts: number;
    readonly delayMs: number;
    readonly errorMessage: string;
  }
  | {
    readonly type: "auto_retry_end";
    readonly success: boolean;
    readonly attempt: number;
    readonly finalError?: string;
  }
  | {
    readonly type: "queue_update";
    readonly steering: readonly string[];
    readonly followUp: readonly string[];
  }
  /** Newest output of a command that the person typed. */
  | { readonly type: "bash_execution_update"; readonly output: string }
  /** The conversation at hand is another one; `tree`: another branch of the same session. */
  | {
    readonly type: "session_changed";
    readonly reason: "new" | "resume" | "fork" | "tree" | "name";
    readonly sessionId: string;
    readonly sessionFile?: string;
    readonly sessionName?: string;
  }
  | { readonly type: "compaction_start"; readonly reason: CompactionReason }
  | {
    readonly type: "compaction_end";
    readonly reason: CompactionReason;
    /** Absent when it was cancelled or failed. */
    readonly result?: CompactionResult;
    readonly aborted: boolean;
    /** The request that did not fit is made again. */
    readonly willRetry: boolean;
    readonly errorMessage?: string;
    /** Of the request for the summary. */
    readonly usage?: Usage;
  }
  /** A command that decides whether the run is done begins; `tries`: how often it may run. */
  | {
    readonly type: "check_start";
    readonly checkId: string;
    readonly command: string;
    readonly attempt: number;
    readonly tries: number;
  }
  | {
    readonly type: "check_end";
    readonly checkId: string;
    readonly command: string;
    readonly attempt: number;
    readonly passed: boolean;
    /** Absent when the command was ended before it had one. */
    readonly exitCode?: number;
    /** The end of what it printed. */
    readonly output: string;
    readonly durationMs: number;
  }
  /** A command runs on after the call that started it; `outputPath`: file with its output. */
  | { readonly type: "background_start"; readonly id: string; readonly command: string; readonly outputPath?: string }
  /** Such a command has ended, at any time: in a run, between runs, with the session. */
  | {
    readonly type: "background_end";
    readonly id: string;
    readonly command: string;
    readonly exitCode: number;
    /** Why it was ended, where it did not end by itself. */
    readonly reason?: string;
    /** The last lines of what it wrote. */
    readonly tail: string;
    readonly durationMs: number;
  }
  /**
   * What became of planning. `proposed`: a plan waits for an answer, `text` is it; comes after `agent_settled`. `refused`:
   * planning goes on without it.
   */
  | { readonly type: "plan_update"; readonly phase: PlanPhase; readonly text?: string }
  /** A tool call was denied and could be allowed; a mode that can ask answers, the others say no. */
  | {
    readonly type: "permission_request";
    readonly id: string;
    readonly toolCallId: string;
    readonly toolName: string;
    readonly denial: Denial;
    /** The sub-agent whose call it was; absent for a call of the agent itself. */
    readonly agentId?: string;
    /** What it was asked to do, in a few words. */
    readonly agentDescription?: string;
  }
  | { readonly type: "permission_decision"; readonly id: string; readonly answer: PermissionAnswer }
  /**
   * What changed on the disk. Of calls: some time after their ends, while the model answers. Of a run: once, right before
   * `agent_end`, after those of all its calls. Of an undo: when it was done.
   */
  | { readonly type: "changes"; readonly changes: ChangeSet }
  /** A call of `task` has a sub-agent. Its `agentId` stands in the file of the session for good: `a2.1` is the first that `a2` started. */
  | ({ readonly type: "subagent_start" } & SubAgentStart)
  /** What happens in it; never one of the three `subagent_…`, which always stand alone, whoever started the sub-agent. */
  | { readonly type: "subagent_event"; readonly agentId: string; readonly event: AgentEvent }
  | ({ readonly type: "subagent_end" } & SubAgentEnd)
  | { readonly type: "notice"; readonly level: "info" | "warning" | "error"; readonly message: string }
  | {
    readonly type: "agent_end";
    readonly messages: readonly AgentMessage[];
    readonly ending: RunEnding;
    /** Which limit, when `ending` is `limit`. */
    readonly limit?: string;
    /** What did not hold, in one sentence, when `ending` is `unproven`. */
    readonly reason?: string;
    readonly willRetry?: boolean;
  }
  | { readonly type: "agent_settled"; readonly aborted: boolean; readonly totals: RunTotals };
