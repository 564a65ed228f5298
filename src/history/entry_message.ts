import { type AgentMessage, toolCallsOf } from "../core/message.ts";
import type { ContextEditEntry, SessionEntry } from "../core/session.ts";

/** The messages of a stretch of a session, edits applied; entries beside the conversation have none. */
export function entryMessages(entries: readonly SessionEntry[]): readonly AgentMessage[] {
  const edits = new Map<string, ContextEditEntry["replacement"]>();
  for (const entry of entries) if (entry.type === "context_edit") edits.set(entry.targetId, entry.replacement);
  return entries.flatMap((entry) => {
    const message = messageOf(entry);
    const edit = edits.get(entry.id);
    if (!message || edit === undefined) return message ?? [];
    return edit === null ? [] : edited(message, edit.content);
  });
}

function messageOf(entry: SessionEntry): AgentMessage | undefined {
  const timestamp = Date.parse(entry.timestamp);
  switch (entry.type) {
    case "message":
      return entry.message;
    case "custom_message": {
      const { customType, content, display } = entry;
      return { role: "custom", customType, content, display, timestamp };
    }
    case "compaction":
      return { role: "compactionSummary", summary: entry.summary, tokensBefore: entry.tokensBefore, timestamp };
    case "branch_summary":
      return { role: "branchSummary", summary: entry.summary, fromId: entry.fromId, timestamp };
    default:
      return undefined;
  }
}

function edited(message: AgentMessage, content: NonNullable<ContextEditEntry["replacement"]>["content"]): AgentMessage {
  const parts = typeof content === "string" ? [{ type: "text", text: content } as const] : content;
  switch (message.role) {
    case "user":
    case "custom":
      return { ...message, content };
    case "toolResult":
      return { ...message, content: parts };
    case "assistant":
      return { ...message, content: [...parts.filter((part) => part.type === "text"), ...toolCallsOf(message)] };
    default:
      return message;
  }
}
