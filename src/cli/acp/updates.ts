import { compactionSizes } from "../../core/support/text.ts";
import * as z from "zod/mini";
import type { ClientCapabilities, PlanEntry, SessionUpdate } from "@agentclientprotocol/sdk";
import type { AgentEvent } from "../../core/event.ts";
import type { JsonObject } from "../../core/json.ts";
import { type AgentMessage, type AssistantMessage, toolCallsOf, type UserMessage } from "../../core/message.ts";
import type { ToolResult } from "../../core/tool_result.ts";
import { type Places, resultContent, type ToolView, toolView } from "./tool_view.ts";

/** What of the events goes to a client. */
export interface Updates {
  /** What one event tells, in order. */
  readonly of: (event: AgentEvent) => readonly SessionUpdate[];
  /** A kept conversation, as it would have been told. */
  readonly replay: (messages: readonly AgentMessage[]) => readonly SessionUpdate[];
}

/** Translates events of a session; kinds that a client has to ask for are sent to no other. */
export function createUpdates(
  places: Places,
  client: ClientCapabilities["session"],
  newId: () => string = () => crypto.randomUUID(),
): Updates {
  const open = new Map<string, ToolView>();
  let compaction = 0;
  /** Of the message at hand: all its chunks have it. */
  let messageId = newId();

  /** Calls are told when the reply is whole: before that they have no id. */
  const calls = (message: AssistantMessage): SessionUpdate[] =>
    toolCallsOf(message).map(({ id: toolCallId, name, arguments: args }) => {
      const view = toolView(name, args, places);
      open.set(toolCallId, view);
      return { sessionUpdate: "tool_call", toolCallId, name, status: "pending", rawInput: args, ...view };
    });

  /** Content of an update takes the place of all that was there: a change that was made stays in sight. */
  const callEnd = (toolCallId: string, result: ToolResult, isError: boolean): SessionUpdate => {
    const { kind = "other", content: changes = [], locations: [place] = [] } = open.get(toolCallId) ?? {};
    open.delete(toolCallId);
    const line = result.details?.["firstChangedLine"];
    return {
      sessionUpdate: "tool_call_update",
      toolCallId,
      status: isError ? "failed" : "completed",
      ...(!isError && changes.length > 0 ? {} : { content: resultContent(result, kind) }),
      ...(place && typeof line === "number" && line > 0 ? { locations: [{ ...place, line }] } : {}),
      ...(result.details ? { rawOutput: result.details } : {}),
    };
  };

  const notice = (severity: "info" | "warning" | "error", title: string): SessionUpdate[] =>
    client?.notices ? [{ sessionUpdate: "notice", severity, title }] : [];

  const ended = (message: AgentMessage, isReplayed: boolean): SessionUpdate[] => {
    switch (message.role) {
      case "assistant":
        return [...(isReplayed ? spoken(message, newId()) : []), ...calls(message)];
      case "toolResult": {
        // A call that never ran (skipped, refused, not valid) has a result and no execution.
        const { toolCallId, isError, content } = message;
        return open.has(toolCallId) ? [callEnd(toolCallId, { content }, isError)] : [];
      }
      case "user":
        return isReplayed ? said(message, newId()) : [];
      case "bashExecution":
      case "custom":
      case "compactionSummary":
      case "branchSummary":
        return [];
    }
  };

  return {
    replay: (messages) => messages.flatMap((message) => ended(message, true)),
    of(event) {
      switch (event.type) {
        case "message_update": {
          const { assistantMessageEvent: delta } = event;
          if (delta.type === "text_delta") return [chunk("agent_message_chunk", delta.delta, messageId)];
          return delta.type === "thinking_delta" ? [chunk("agent_thought_chunk", delta.delta, messageId)] : [];
        }
        case "message_start":
          messageId = newId();
          return [];
        case "message_end":
          return event.discarded
            ? notice("warning", "The reply broke off and is asked for again")
            : ended(event.message, false);
        case "tool_execution_start":
          return [{ sessionUpdate: "tool_call_update", toolCallId: event.toolCallId, status: "in_progress" }];
        case "tool_execution_update":
          return [{
            sessionUpdate: "tool_call_update",
            toolCallId: event.toolCallId,
            content: resultContent(event.partialResult, open.get(event.toolCallId)?.kind ?? "other"),
          }];
        case "tool_execution_end": {
          const { toolCallId, result, isError } = event;
          const entries = planIn(result.details);
          return [
            callEnd(toolCallId, result, isError),
            ...(entries ? [{ sessionUpdate: "plan" as const, entries }] : []),
          ];
        }
        case "compaction_start":
          if (!client?.compaction) return [];
          return [{ sessionUpdate: "compaction_update", compactionId: String(++compaction), status: "in_progress" }];
        case "compaction_end": {
          const { result } = event;
          const sizes = result && `Compacted the conversation: ${compactionSizes(result)}`;
          if (!client?.compaction) return sizes ? notice("info", sizes) : [];
          const status = event.result ? "completed" : event.aborted ? "cancelled" : "failed";
          return [{
            sessionUpdate: "compaction_update",
            compactionId: String(compaction),
            status,
            ...(result
              ? { summary: [result.summary, sizes ?? ""].map((text) => ({ type: "text" as const, text })) }
              : {}),
            ...(event.errorMessage ? { error: event.errorMessage } : {}),
          }];
        }
        case "auto_retry_start":
          return notice(
            "warning",
            `${event.errorMessage} Attempt ${event.attempt} of ${event.maxAttempts} follows in ${
              Math.ceil(event.delayMs / 1000)
            } s`,
          );
        case "check_end":
          return notice(
            event.passed ? "info" : "warning",
            `The check "${event.command}" ${event.passed ? "passed" : "failed"}`,
          );
        case "notice":
          return notice(event.level, event.message);
        case "session_changed":
          return event.sessionName === undefined
            ? []
            : [{ sessionUpdate: "session_info_update", title: event.sessionName }];
        default:
          return [];
      }
    },
  };
}

function said({ content }: UserMessage, messageId: string): SessionUpdate[] {
  if (typeof content === "string") return [chunk("user_message_chunk", content, messageId)];
  return content.map((part) =>
    part.type === "text" ? chunk("user_message_chunk", part.text, messageId) : {
      sessionUpdate: "user_message_chunk",
      messageId,
      content: { type: "image", data: part.data, mimeType: part.mimeType },
    }
  );
}

function spoken({ content }: AssistantMessage, messageId: string): SessionUpdate[] {
  return content.flatMap((part) =>
    part.type === "text"
      ? [chunk("agent_message_chunk", part.text, messageId)]
      : part.type === "thinking"
      ? [chunk("agent_thought_chunk", part.thinking, messageId)]
      : []
  );
}

function chunk(
  sessionUpdate: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk",
  text: string,
  messageId: string,
): SessionUpdate {
  return { sessionUpdate, messageId, content: { type: "text", text } };
}

const entries = z.array(z.object({
  content: z.string(),
  status: z.enum(["pending", "in_progress", "completed"]),
  priority: z._default(z.enum(["high", "medium", "low"]), "medium"),
}));

/**
 * The plan in a tool's result: whatever tool keeps one gives all of it each time as `details.plan`, a list of
 * `{content, status, priority?}` (X22). Undefined for results without one.
 */
export function planIn(details: JsonObject | undefined): PlanEntry[] | undefined {
  return entries.safeParse(details?.["plan"]).data;
}
