import { type AgentMessage, toolCallsOf } from "../core/message.ts";

/** A stretch of the conversation from what a person said to the model's last word on it. Indexes of messages. */
export interface Turn {
  readonly from: number;
  /** The first message after it. */
  readonly to: number;
  /**
   * `completed`: the model came to its end; `open`: it was stopped, cut short or is running; `pending`: nobody asked
   * the model yet.
   */
  readonly state: "completed" | "open" | "pending";
}

/** The turns of a conversation, in order; every message is in exactly one. */
export function turnsOf(messages: readonly AgentMessage[]): readonly Turn[] {
  const turns: Turn[] = [];
  for (let from = 0; from < messages.length;) {
    let to = from;
    while (to < messages.length && !ends(messages[to])) to++;
    to = Math.min(to + 1, messages.length);
    turns.push({ from, to, state: stateOf(messages.slice(from, to)) });
    from = to;
  }
  return turns;
}

/** A reply without calls ends a turn, and so does one that was stopped; a summary is a turn of its own. */
function ends(message: AgentMessage | undefined): boolean {
  if (message?.role === "compactionSummary" || message?.role === "branchSummary") return true;
  if (message?.role !== "assistant") return false;
  return toolCallsOf(message).length === 0 || message.stopReason === "aborted" || message.stopReason === "error";
}

function stateOf(turn: readonly AgentMessage[]): Turn["state"] {
  const last = turn.at(-1);
  if (ends(last)) {
    const isWhole = last?.role !== "assistant" || last.stopReason === "stop" || last.stopReason === "length";
    return isWhole ? "completed" : "open";
  }
  return turn.some(({ role }) => role === "user" || role === "assistant") ? "open" : "pending";
}
