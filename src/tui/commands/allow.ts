import type { SessionDenial } from "../../core/engine.ts";
import { errorText, UserError } from "../../core/error.ts";
import type { AgentEvent, Denial } from "../../core/event.ts";
import { describeDenial, grantOption } from "../../core/grant_option.ts";
import { cleanLine } from "../screen/foreign.ts";
import { deniedThing } from "../transcript/denial_words.ts";
import type { TuiQuestions } from "../transcript/questions.ts";
import type { CommandContext } from "./command.ts";

/** Permission prompts after one run: a command can be denied many things. */
const MAX_PROMPTS = 3;

/** `/allow [WHAT]`: grants something that was denied in this session. WHAT is a part of its path, host or program. */
export async function allowCommand(context: CommandContext, what: string): Promise<void> {
  const { engine, pick, say } = context;
  const all = engine.state().denials.toReversed();
  const found = all.filter((one) => lineOf(one).includes(what));
  if (found.length === 0) throw nothingToAllow(what, all);
  const chosen = found.length === 1 ? found[0] : await pick(
    "Denied in this session",
    found.map((one) => ({ label: lineOf(one), detail: one.toolName, value: one })),
  );
  if (chosen === undefined) return;
  const { denial } = chosen;
  const duration = await pick(`Let tools ${describeDenial(denial).allows}?`, [
    { label: "No", value: undefined },
    { label: "Yes, for this session", value: "session" as const },
    { label: "Yes, for this project: kept in your settings", value: "project" as const },
  ]);
  if (duration === undefined) return say("Nothing was allowed");
  await allow(context, denial, duration);
}

/**
 * Asks after each run about denials that no permission prompt was shown for, for example in a command that succeeded all
 * the same. Each grant is offered once in a session. A new run or another session withdraws the prompts.
 */
export function afterRunPrompts(
  context: CommandContext,
  questions: Pick<TuiQuestions, "askAfterRun">,
): (event: AgentEvent) => void {
  let offered = new Set<string>();
  let asking = new AbortController();
  const ask = async (open: readonly SessionDenial[], signal: AbortSignal): Promise<void> => {
    for (const { denial, toolName } of open) {
      const isOpen = context.engine.state().denials.some((one) => keyOf(one.denial) === keyOf(denial));
      if (!isOpen || signal.aborted) continue;
      const answer = await questions.askAfterRun({ id: keyOf(denial), toolName, denial }, signal);
      if (answer === "session" || answer === "project") await allow(context, denial, answer);
    }
  };
  return (event) => {
    if (event.type === "permission_request") offered.add(keyOf(event.denial));
    if (event.type === "session_changed" && event.reason !== "name") offered = new Set();
    if (event.type === "agent_start" || event.type === "session_changed") asking.abort();
    if (event.type !== "agent_end") return;
    const open = context.engine.state().denials.filter(({ denial }) => !offered.has(keyOf(denial)));
    for (const { denial } of open) offered.add(keyOf(denial));
    const more = open.length - MAX_PROMPTS;
    if (more > 0) context.say(`${more} more denials can be allowed: type /allow to see them`, "warning");
    asking = new AbortController();
    ask(open.slice(0, MAX_PROMPTS), asking.signal).catch((error) => context.say(errorText(error), "error"));
  };
}

async function allow({ engine, say }: CommandContext, denial: Denial, duration: "session" | "project"): Promise<void> {
  await engine.allow(denial, duration);
  say(
    `Allowed for this ${duration}: ${deniedThing(denial)}, with ${grantOption(denial.kind, cleanLine(denial.grant))}`,
  );
}

/** Two files of one directory need the same grant. */
function keyOf({ kind, grant }: Denial): string {
  return `${kind} ${grant}`;
}

function lineOf({ denial }: SessionDenial): string {
  return deniedThing(denial);
}

function nothingToAllow(what: string, all: readonly SessionDenial[]): UserError {
  return all.length === 0
    ? new UserError({
      what: "There is nothing to allow",
      why: "nothing that can be granted was denied in this session",
      fix: "Use --allow-read, --allow-write, --allow-run or --allow-net at the next start",
    })
    : new UserError({
      what: `Nothing that was denied contains "${what}"`,
      why: `denied in this session: ${all.map(lineOf).join(", ")}`,
      fix: "Type /allow to choose from the list",
    });
}
