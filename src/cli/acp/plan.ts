import type { AgentContext, SessionModeState } from "@agentclientprotocol/sdk";
import type { Engine, PlanAnswer } from "../../core/engine.ts";
import { type Choice, choice } from "./permission.ts";

/** The modes of a session: what tools may do in them is another policy. */
const MODES = [
  { id: "default", name: "Default", description: "Tools may do what the session's scopes say" },
  { id: "plan", name: "Plan", description: "Tools can only read until the plan is accepted" },
] as const;

type Mode = typeof MODES[number]["id"];

/** The mode of a session. */
export function modeOf(engine: Pick<Engine, "state">): Mode {
  return engine.state().plan ? "plan" : "default";
}

/** All modes, and the one at hand. */
export function modesOf(engine: Pick<Engine, "state">): SessionModeState {
  return { currentModeId: modeOf(engine), availableModes: MODES.map((mode) => ({ ...mode })) };
}

/**
 * Goes to a mode; false where there is none of that name. Leaving the plan carries nothing out. Throws UserError while
 * something goes on.
 */
export async function setMode(engine: Engine, id: string): Promise<boolean> {
  if (!MODES.some((mode) => mode.id === id)) return false;
  if (id === modeOf(engine)) return true;
  if (id === "plan") await engine.startPlan();
  else await engine.answerPlan({ kind: "leave" });
  return true;
}

const OPTIONS: readonly Choice<PlanAnswer["kind"]>[] = [
  { optionId: "accept", kind: "allow_once", name: "Accept the plan and carry it out" },
  { optionId: "refuse", kind: "reject_once", name: "Plan on" },
  { optionId: "leave", kind: "reject_always", name: "Leave planning" },
];

/** Asks the client about the plan that waits; undefined where it gave no answer. */
export async function askAboutPlan(
  client: AgentContext,
  sessionId: string,
  signal: AbortSignal,
): Promise<PlanAnswer["kind"] | undefined> {
  const question = {
    toolCallId: `plan-${crypto.randomUUID()}`,
    title: "Accept the plan?",
    kind: "switch_mode",
  } as const;
  return await choice(client, sessionId, question, OPTIONS, signal);
}
