import type { TodoItem } from "../core/engine.ts";
import type { AgentEvent } from "../core/event.ts";
import { isObject, type JsonObject } from "../core/json.ts";
import type { AgentMessage } from "../core/message.ts";
import type { SessionEntry } from "../core/session.ts";

/** The list that the model keeps with the tool `todo`. */
export interface TodoList {
  readonly items: () => readonly TodoItem[];
  /** The list, unless one of these messages is the tool result that contains it. */
  readonly itemsBeyond: (messages: readonly AgentMessage[]) => readonly TodoItem[];
  readonly read: (event: AgentEvent) => void;
}

interface Kept {
  readonly items: readonly TodoItem[];
  /** The call that wrote it; undefined: there was none. */
  readonly callId?: string;
}

/** The list as the branch at hand has it; `path` gives that branch. */
export function createTodoList(path: () => readonly SessionEntry[]): TodoList {
  let kept: Kept | undefined;
  // Looked for once: a session may be long, and this is asked with every frame of a screen.
  const newest = (): Kept => kept ??= keptIn(path());
  return {
    items: () => newest().items,
    itemsBeyond(messages) {
      const { items, callId } = newest();
      const isSaid = messages.some((message) => message.role === "toolResult" && message.toolCallId === callId);
      return isSaid ? [] : items;
    },
    read(event) {
      if (event.type === "session_changed" && event.reason !== "name") kept = undefined;
      if (event.type === "tool_execution_end" && event.toolName === "todo" && !event.isError) {
        const items = itemsIn(event.result.details);
        if (items) kept = { items, callId: event.toolCallId };
      }
    },
  };
}

function keptIn(path: readonly SessionEntry[]): Kept {
  for (const entry of path.toReversed()) {
    const message = entry.type === "message" ? entry.message : undefined;
    if (message?.role !== "toolResult" || message.toolName !== "todo" || message.isError) continue;
    const items = itemsIn(message.details);
    if (items) return { items, callId: message.toolCallId };
  }
  return { items: [] };
}

/** A session's file may hold anything. */
function itemsIn(details: JsonObject | undefined): readonly TodoItem[] | undefined {
  const plan = details?.["plan"];
  if (!Array.isArray(plan)) return undefined;
  return plan.flatMap((item) => {
    if (!isObject(item)) return [];
    const { content: text, status: state } = item;
    const isKnown = state === "pending" || state === "in_progress" || state === "completed";
    return typeof text === "string" && isKnown ? [{ text, state }] : [];
  });
}
