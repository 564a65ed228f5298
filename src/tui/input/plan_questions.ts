import type { AgentEvent } from "../../core/event.ts";
import { messageOf } from "../../core/error.ts";
import type { CommandContext } from "../commands/command.ts";
import { askAboutPlan } from "../commands/plan.ts";
import type { TuiQuestions } from "../transcript/questions.ts";

/** Asks about each plan that waits, until it is answered in another way or a run begins. */
export function planQuestions(
  context: CommandContext,
  questions: Pick<TuiQuestions, "askPlan">,
): (event: AgentEvent) => void {
  let asking: AbortController | undefined;
  return (event) => {
    const isOver = event.type === "agent_start" || event.type === "plan_update" || event.type === "session_changed";
    if (isOver) asking?.abort();
    if (event.type !== "plan_update" || event.phase !== "proposed") return;
    asking = new AbortController();
    askAboutPlan(context, questions, asking.signal)
      .catch((error) => context.say(messageOf(error), "error"));
  };
}
