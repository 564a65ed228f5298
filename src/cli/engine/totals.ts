import type { SessionTotals } from "../../core/engine.ts";
import { type AgentMessage, toolCallsOf, type Usage } from "../../core/message.ts";
import type { SessionEntry } from "../../core/session.ts";

/** Sums over everything that was asked and answered in a session, left branches included: it was paid for. */
export interface Meter {
  add(message: AgentMessage): void;
  /** Summaries were paid for, too. */
  addEntry(entry: SessionEntry): void;
  sums(): SessionTotals;
}

/** A meter that has read a session's entries. */
export function meterOf(entries: readonly SessionEntry[]): Meter {
  const sums = {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    cost: 0,
    toolCalls: 0,
    userMessages: 0,
    assistantMessages: 0,
  };
  const spend = (usage: Usage | undefined): void => {
    if (!usage) return;
    sums.input += usage.input;
    sums.output += usage.output;
    sums.cacheRead += usage.cacheRead;
    sums.cacheWrite += usage.cacheWrite;
    sums.cost += usage.cost?.total ?? 0;
  };
  const meter: Meter = {
    add(message) {
      if (message.role === "user") sums.userMessages++;
      if (message.role !== "assistant") return;
      sums.assistantMessages++;
      sums.toolCalls += toolCallsOf(message).length;
      spend(message.usage);
    },
    addEntry(entry) {
      if (entry.type === "message") meter.add(entry.message);
      if (entry.type === "compaction" || entry.type === "branch_summary") spend(entry.usage);
    },
    sums: () => ({ ...sums }),
  };
  for (const entry of entries) meter.addEntry(entry);
  return meter;
}
