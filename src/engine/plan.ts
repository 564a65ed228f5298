import type { PlanAnswer, PlanState, PromptOutcome } from "../core/engine.ts";
import { UserError } from "../core/error.ts";
import type { AgentEvent, PlanPhase } from "../core/event.ts";
import { textOf } from "../core/message.ts";
import type { Config } from "../config/config.ts";
import { lastCustom } from "../session/tree.ts";
import type { EngineCore } from "./parts.ts";
import type { KnownTool } from "./tools/toolset.ts";

/** Planning: the policy is held to reading until the person has answered the plan (decision 0050). */
export interface Planning {
  /** Undefined in a session that does not plan. */
  readonly state: () => PlanState | undefined;
  readonly start: () => Promise<void>;
  /** Gives what carries the plan out, where that was accepted: the text of a prompt. */
  readonly answer: (answer: PlanAnswer) => Promise<string | undefined>;
  /**
   * Takes up what the session at hand was left with; `plan` and `noPlan` of the command line go before that, once. Where that
   * is to plan, what runs in the background has ended when it resolves.
   */
  readonly restore: () => Promise<void>;
  /** Why a tool does not run while the session plans; undefined: it may. */
  readonly refuses: (tool: Pick<KnownTool, "tool" | "origin">) => string | undefined;
  /** Nothing goes on after a run. */
  readonly runEnded: (outcome: PromptOutcome) => void;
  /** A run begins: a plan that waited is answered by it. */
  readonly read: (event: AgentEvent) => void;
}

/** What goes to the model with an accepted plan; the plan itself stands right before it, unless the person changed it. */
const ACCEPTED = "I accept the plan. Carry it out.";
const CHANGED = "I accept the plan with changes. Carry it out as it stands here:";

/** No plan yet. `customType`: that of the entries in which the session keeps how far it came. */
export function createPlanning(
  core: Pick<EngineCore, "config" | "conversation" | "emit" | "followPolicy" | "notify" | "tools" | "work">,
  customType: string,
): Planning {
  const { conversation, emit, tools, work } = core;
  let isProposed = false;
  let isOpened = false;

  const keep = (phase: PlanPhase): void => void conversation.append({ type: "custom", customType, data: { phase } });
  const answerText = (): string => {
    const last = conversation.state.messages.findLast(({ role }) => role === "assistant");
    return last?.role === "assistant" ? textOf(last.content).trim() : "";
  };
  const hold = (isOn: boolean): void => {
    tools.holdToReading(isOn);
    core.followPolicy();
  };
  const change = (phase: PlanPhase, text?: string): void => {
    isProposed = phase === "proposed";
    keep(phase);
    emit({ type: "plan_update", phase, ...(text === undefined ? {} : { text }) });
  };
  const runningIds = (): string[] =>
    tools.background.list().filter(({ exitCode }) => exitCode === undefined).map(({ id }) => id);
  /** What was started with the right to write keeps it. */
  const endRunning = async (): Promise<void> => {
    for (const id of runningIds()) {
      await tools.background.stop(id);
      core.notify(`${id} was ended: this session plans, and a command of the one before could still write`);
    }
  };
  const refuseRunning = (): void => {
    const running = runningIds();
    if (running.length === 0) return;
    throw new UserError({
      what: "Cannot begin to plan",
      why: `${running.join(", ")} in the background may still write`,
      fix: "Stop what runs in the background first: /background",
    });
  };
  const demand = (isAnswerable: boolean): void => {
    if (!tools.held) {
      throw none("this session does not plan", "/plan in the terminal, or --plan at the start, begins to plan");
    }
    if (!isAnswerable) throw none("no plan waits for an answer", "Give it a task first, or leave planning");
  };

  return {
    state: () => tools.held && (isProposed ? { text: answerText() } : {}),
    start: () =>
      work.run("session", () => {
        if (!tools.held) {
          refuseRunning();
          hold(true);
          change("started");
        }
        return Promise.resolve();
      }),
    answer: (answer) =>
      work.run("session", () => {
        demand(answer.kind === "leave" || isProposed);
        if (answer.kind === "refuse") {
          change("refused");
          return Promise.resolve(undefined);
        }
        const before = answerText();
        hold(false);
        change(answer.kind === "accept" ? "accepted" : "left");
        if (answer.kind === "leave") return Promise.resolve(undefined);
        const { text = before } = answer;
        return Promise.resolve(text.trim() === before ? ACCEPTED : `${CHANGED}\n\n${text.trim()}`);
      }),
    async restore() {
      const { values } = core.config().invocation;
      const asked = isOpened ? undefined : values["plan"] ? true : values["no-plan"] ? false : undefined;
      isOpened = true;
      const phase = lastCustom(conversation.store().entries(), customType)?.["phase"];
      const wasPlanning = phase !== undefined && phase !== "accepted" && phase !== "left";
      const plans = asked ?? wasPlanning;
      isProposed = plans && phase === "proposed" && answerText() !== "";
      if (plans) hold(true);
      if (plans && !wasPlanning) keep("started");
      if (!plans && wasPlanning) keep("left");
      if (plans && asked === undefined) {
        core.notify("This session plans: tools can only read. Answer the plan, or start with --no-plan", "info");
      }
      if (plans) await endRunning();
    },
    refuses({ tool: { name }, origin }) {
      // Nothing confines them to what a session may do: an extension has its own permissions, a server is there already.
      if (!tools.held || origin === "builtin") return undefined;
      return `Denied: ${name}. Until the user accepts the plan only the program's own tools run: go on without this.`;
    },
    runEnded(outcome) {
      if (!tools.held || outcome.kind !== "run" || outcome.ending !== "done") return;
      const text = answerText();
      if (text !== "") change("proposed", text);
    },
    read({ type }) {
      if (type !== "agent_start" || !isProposed) return;
      isProposed = false;
      keep("started");
    },
  };
}

/** Throws UserError for options that contradict a plan: nothing is done that could be held to a check. */
export function refuseWithPlan({ invocation: { values } }: Config): void {
  if (values["plan"] !== true) return;
  const other = ["require", "output-schema", "no-plan"].find((name) => values[name] !== undefined);
  if (other === undefined) return;
  throw new UserError({
    what: `--plan cannot be combined with --${other}`,
    why: other === "no-plan"
      ? "one starts a plan, the other ends it"
      : "a plan changes nothing that could be held to it",
    fix: `Leave one of them out; --${other} counts when the plan is carried out`,
    exitCode: 2,
  });
}

function none(why: string, fix: string): UserError {
  return new UserError({ what: "There is no plan to answer", why, fix });
}
