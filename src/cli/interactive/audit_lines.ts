import { counted } from "../../core/support/text.ts";
import { sha256 } from "../../core/support/digest.ts";
import { type ToolCall, toolCallsOf, type ToolResultMessage } from "../../core/message.ts";
import type { SessionStore } from "../../core/session.ts";
import { readAudit } from "../../session/export/read_audit.ts";
import { toolTitle } from "../../tui/blocks/tool_title.ts";
import { linesOf } from "../output/denial_lines.ts";

/** Of a long command so many lines are shown, and how many there are more. */
const COMMAND_LINES = 20;

/**
 * The tool calls of a session with what each was to do and what it was denied; none where nothing was audited. The audit's
 * file has digests alone: the rest is in the session.
 */
export function auditLines(
  folder: string | undefined,
  { header, entries }: Pick<SessionStore, "header" | "entries">,
): readonly string[] {
  if (folder === undefined) return [];
  const { calls, results, typed } = messagesOf(entries());
  return readAudit(folder, header.id).calls.flatMap((one) => {
    const { time, callId, tool, decision, outcome, durationMs, waitedMs } = one;
    const [call, result] = [calls.get(callId), results.get(callId)];
    const waited = waitedMs === undefined ? "" : `, ${Math.round(waitedMs)} ms for an answer`;
    // What a person typed is no call in the session: its digest tells which it was.
    const command = call === undefined ? typed.get(one.arguments) : undefined;
    const title = call
      ? toolTitle(call.name, call.arguments, header.cwd)
      : command === undefined
      ? []
      : toolTitle("bash", { command }, header.cwd);
    const more = title.length - COMMAND_LINES;
    return [
      `${time.slice(11, 19)}  ${tool}  ${decision}  ${outcome}  ${Math.round(durationMs)} ms${waited}`,
      ...title.slice(0, COMMAND_LINES).map((line) => `    ${line}`),
      ...more > 0 ? [`    … ${counted(more, "more line")}`] : [],
      ...result ? linesOf({ toolName: tool, result, isError: result.isError }).map((line) => `    ${line}`) : [],
    ];
  });
}

function messagesOf(entries: ReturnType<SessionStore["entries"]>): {
  readonly calls: ReadonlyMap<string, ToolCall>;
  readonly results: ReadonlyMap<string, ToolResultMessage>;
  /** Commands that were typed, by the digest of their arguments. */
  readonly typed: ReadonlyMap<string, string>;
} {
  const calls = new Map<string, ToolCall>();
  const results = new Map<string, ToolResultMessage>();
  const typed = new Map<string, string>();
  for (const entry of entries) {
    if (entry.type !== "message") continue;
    const { message } = entry;
    if (message.role === "assistant") { for (const call of toolCallsOf(message)) calls.set(call.id, call); }
    if (message.role === "bashExecution") {
      typed.set(sha256(JSON.stringify({ command: message.command })), message.command);
    }
    if (message.role === "toolResult") results.set(message.toolCallId, message);
  }
  return { calls, results, typed };
}
