import type { AgentEvent, PlanPhase } from "../../core/event.ts";
import { duration } from "../blocks/amounts.ts";
import { cleanLine } from "../screen/foreign.ts";

/** What is said of planning; of a plan that waits the question says it. */
export const PLAN_LINES: Readonly<Record<PlanPhase, string | undefined>> = {
  started: "Planning: tools can only read until you accept the plan. /plan off leaves",
  proposed: undefined,
  refused: "Planning goes on",
  accepted: "The plan is accepted: tools may do again what they could before",
  left: "Planning has ended, and nothing was carried out: tools may do again what they could before",
};

/** That a command in the background has ended. */
export function backgroundLine(event: Extract<AgentEvent, { type: "background_end" }>): string {
  const { id, command, exitCode, reason, durationMs } = event;
  const why = reason === undefined ? "" : ` (${cleanLine(reason)})`;
  return `${id} has ended with code ${exitCode}${why} after ${duration(durationMs)}: ${
    cleanLine(command).slice(0, 200)
  }`;
}
