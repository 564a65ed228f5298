import type { TodoItem } from "../core/engine.ts";
import type { AgentEvent } from "../core/event.ts";
import { isObject, type JsonObject } from "../core/json.ts";
import type { SessionEntry } from "../core/session.ts";

/** The list that the model keeps with the tool `todo`. */
export interface TodoList {
  readonly items: () => readonly TodoItem[];
  readonly read: (event: AgentEvent) => void;
}

/** The list as the branch at hand has it; `path` gives that branch. */
export function createTodoList(path: () => readonly SessionEntry[]): TodoList {
  let items: readonly TodoItem[] | undefined;
  return {
    // Looked for once: a session may be long, and this is asked with every frame of a screen.
    items: () => items ??= keptIn(path()),
    read(event) {
      if (event.type === "session_changed" && event.reason !== "name") items = undefined;
      if (event.type === "tool_execution_end" && event.toolName === "todo" && !event.isError) {
        items = itemsIn(event.result.details) ?? items;
      }
    },
  };
}

function keptIn(path: readonly SessionEntry[]): readonly TodoItem[] {
  for (const entry of path.toReversed()) {
    const message = entry.type === "message" ? entry.message : undefined;
    if (message?.role !== "toolResult" || message.toolName !== "todo" || message.isError) continue;
    const items = itemsIn(message.details);
    if (items) return items;
  }
  return [];
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
