import type { PlanAnswer } from "../../core/engine.ts";
import { errorText, UserError } from "../../core/error.ts";
import type { AgentEvent } from "../../core/event.ts";
import type { TuiQuestions } from "../transcript/questions.ts";
import type { CommandContext } from "./command.ts";

/** What stands before a plan that the person changes: Enter sends it as the command that accepts it. */
const EDIT = "/plan accept";

/** `/plan [TEXT]`, `/plan accept [PLAN]`, `/plan edit`, `/plan refuse`, `/plan off`. */
export async function planCommand(context: CommandContext, args: string): Promise<void> {
  const { engine, say, write } = context;
  const { plan } = engine.state();
  const [, word = "", rest = ""] = /^(accept|edit|refuse|off)(?:\s+([\s\S]*))?$/.exec(args) ?? [];
  switch (word) {
    case "accept":
      return await answer(context, rest.trim() === "" ? { kind: "accept" } : { kind: "accept", text: rest });
    case "edit":
      if (plan?.text === undefined) throw nothingToEdit();
      say("Change the plan in the editor: Enter has it carried out as it stands there");
      return write(`${EDIT}\n${plan.text}`);
    case "refuse":
      return await answer(context, { kind: "refuse" });
    case "off":
      return await answer(context, { kind: "leave" });
  }
  if (plan && args === "") {
    return say(plan.text === undefined ? "Planning already: say what is to be planned, or /plan off" : WAITS);
  }
  await engine.startPlan();
  if (args !== "") await engine.prompt({ text: args, source: "interactive" });
}

const NOT_NOW =
  "Not accepted: say what should be different. /plan accept takes it after all, /plan off leaves planning";
const WAITS = "A plan waits: /plan accept, /plan edit, /plan refuse or /plan off; or say what should be different";

/** Asks about each plan that waits, until it is answered in another way or a run begins. */
export function planQuestions(
  context: CommandContext,
  questions: Pick<TuiQuestions, "askPlan">,
): (event: AgentEvent) => void {
  let asking: AbortController | undefined;
  const ask = async (signal: AbortSignal): Promise<void> => {
    const choice = await questions.askPlan(signal);
    // What is not accepted now can be taken after all, until something else is said.
    if (choice === "no") context.say(NOT_NOW);
    else if (choice !== undefined) await planCommand(context, choice);
  };
  return (event) => {
    const isOver = event.type === "agent_start" || event.type === "plan_update" || event.type === "session_changed";
    if (isOver) asking?.abort();
    if (event.type !== "plan_update" || event.phase !== "proposed") return;
    asking = new AbortController();
    ask(asking.signal).catch((error) => context.say(errorText(error), "error"));
  };
}

async function answer({ engine }: CommandContext, given: PlanAnswer): Promise<void> {
  await engine.answerPlan(given);
}

function nothingToEdit(): UserError {
  return new UserError({
    what: "There is no plan to edit",
    why: "no plan waits for an answer",
    fix: "Say what is to be planned first",
  });
}
