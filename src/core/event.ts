import type { JsonObject } from "./json.ts";
import type { AssistantMessage, Message, ToolResultMessage } from "./message.ts";
import type { Manifest } from "./prompt.ts";
import type { ToolResult } from "./tool.ts";

/** What a streaming assistant message gained: deltas only, never the text so far. */
export type AssistantDelta =
  | { readonly type: "text_delta"; readonly delta: string }
  | { readonly type: "thinking_delta"; readonly delta: string }
  | { readonly type: "toolcall_delta"; readonly index: number; readonly name?: string; readonly delta: string };

/** Why a run ended. */
export type RunEnding = "done" | "error" | "aborted" | "limit";

/** All that a screen, a session file, `--mode json` or RPC ever sees. Plain JSON values, in order of occurrence. */
export type AgentEvent =
  | { readonly type: "agent_start" }
  | { readonly type: "turn_start"; readonly turn: number }
  | { readonly type: "prompt_compiled"; readonly manifest: Manifest }
  | { readonly type: "message_start"; readonly message: Message }
  | { readonly type: "message_update"; readonly assistantMessageEvent: AssistantDelta }
  /** `discarded`: the text shown so far is void, because the attempt failed and is made again. */
  | { readonly type: "message_end"; readonly message: Message; readonly discarded?: boolean }
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
    readonly durationMs: number;
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
  | { readonly type: "notice"; readonly level: "info" | "warning" | "error"; readonly message: string }
  | {
    readonly type: "agent_end";
    readonly messages: readonly Message[];
    readonly ending: RunEnding;
    /** Which limit, when `ending` is `limit`. */
    readonly limit?: string;
    readonly willRetry?: boolean;
  }
  | { readonly type: "agent_settled"; readonly aborted: boolean };
