import type { AgentEvent, RunEnding } from "../../core/event.ts";
import { visibleJson } from "../../core/support/text.ts";

/** How a run ended, as a mode saw it. */
export interface ModeOutcome {
  readonly ending: RunEnding;
  readonly limit?: string;
  /** Nobody read the output any more, so that the run was given up. */
  readonly isUnread?: boolean;
}

/** Writes every event as one JSON line. `write` answers false when nobody reads any more; the run is then given up. */
export async function jsonMode(
  header: { readonly id: string; readonly timestamp: string; readonly cwd: string },
  events: AsyncIterable<AgentEvent>,
  write: (text: string) => Promise<boolean>,
): Promise<ModeOutcome> {
  let outcome: ModeOutcome = { ending: "error" };
  if (!await write(visibleJson({ type: "session", version: 3, ...header }) + "\n")) {
    return { ...outcome, isUnread: true };
  }
  for await (const event of events) {
    if (event.type === "agent_end") outcome = { ending: event.ending, ...(event.limit ? { limit: event.limit } : {}) };
    if (!await write(visibleJson(event) + "\n")) return { ...outcome, isUnread: true };
  }
  return outcome;
}
