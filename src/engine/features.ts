// Features that most sessions do not use. Each is loaded by the option or setting that asks for it, or by the first
// event that needs it; until then the few lines here stand in for it.
import type { AgentEvent } from "../core/event.ts";
import { join } from "@std/path";
import type { Config } from "../config/config.ts";
import { readVariable } from "../config/host_environment.ts";
import type { Engine } from "../core/engine.ts";
import type { JsonObject } from "../core/json.ts";
import type { CallOptions } from "../core/runner.ts";
import { isThere } from "../core/support/on_disk.ts";
import { once } from "../core/support/once.ts";
import type { Tool } from "../core/tool.ts";
import type { ToolResult } from "../core/tool_result.ts";
import type { EngineCore, EngineOptions, WithinSession } from "./parts.ts";
import type { Pending } from "./work.ts";
import type { Planning } from "./plan.ts";
import type { Proof } from "./proof/proof.ts";
import type { Navigation } from "./session_navigation.ts";
import type { SubAgents } from "./sub_agents.ts";
import type { SessionTrial } from "./trial/session_trial.ts";
import type { Trials } from "./trials.ts";
import type { UserBash } from "./user_bash.ts";
import type { Telemetry } from "../telemetry/open.ts";

/**
 * The features that options and settings ask for, loaded before the session is put together; a trial has begun by then.
 */
export interface AskedFeatures {
  /** Somebody can answer denials. */
  readonly approval?: typeof import("./tools/approval.ts");
  /** The command line asks to go on with a session. */
  readonly resumed?: typeof import("./sessions/resumed_session.ts");
  /** The user or the project names servers. */
  readonly servers?: typeof import("./mcp_servers.ts");
  readonly trial?: SessionTrial;
}

/** Loads what is asked for. Throws UserError for options that cannot be had; no trial has begun then. */
export async function askedFeatures({ config, ask, within }: EngineOptions): Promise<AskedFeatures> {
  const { values } = config.invocation;
  if (values["plan"] === true) (await import("./plan.ts")).refuseWithPlan(config);
  const goesOn = ["continue", "resume", "fork"].some((name) => values[name] !== undefined);
  return {
    ...(goesOn && !within ? { resumed: await import("./sessions/resumed_session.ts") } : {}),
    ...(ask ? { approval: await import("./tools/approval.ts") } : {}),
    ...(!within && namesServers(config) ? { servers: await import("./mcp_servers.ts") } : {}),
    ...(values["trial"] ? { trial: await (await import("./trial/session_trial.ts")).beginTrial(config) } : {}),
  };
}

function namesServers({ user, trusted, root, invocation: { values } }: Config): boolean {
  const isNamed = Object.keys(user.mcpServers ?? {}).length > 0 || (trusted && isThere(join(root, ".mcp.json")));
  return isNamed && !values["no-tools"];
}

/** What a run has to show before it is done; undefined: nothing. Throws UserError for what cannot be demanded. */
export async function demandedProof(
  { config, tools, changes }: Pick<EngineCore, "config" | "tools" | "changes">,
  answerSchema: JsonObject | undefined,
): Promise<Proof | undefined> {
  const { invocation: { values }, user, project, given, agent } = config();
  const answer = answerSchema ?? agent?.answer;
  const demands = [values["require"], values["output-schema"], answer, user.checks, project.checks, given?.checks];
  if (demands.every((demand) => demand === undefined)) return undefined;
  const { openProof } = await import("./proof/proof.ts");
  return await openProof(config(), tools, changes, answer);
}

/** Spans and metrics for the user's own collector, where the environment asks for them; a sub-agent's go to its parent's. */
export async function askedTelemetry(
  core: Pick<EngineCore, "conversation" | "tools" | "model" | "notify">,
  { within, variable = readVariable }: Pick<EngineOptions, "within" | "variable">,
): Promise<Telemetry | undefined> {
  if (within || !variable("SANDPIPER_TELEMETRY")) return undefined;
  const { openTelemetry } = await import("../telemetry/open.ts");
  return openTelemetry({
    variable,
    facts: () => ({
      sessionId: core.conversation.store().header.id,
      sandbox: core.tools.policy.sandbox,
      model: { provider: core.model.provider(), id: core.model.id() },
    }),
    notify: core.notify,
  });
}

/** The custom type of a session's entries that tell of a plan. */
const PLAN_ENTRY = "plan";

/** A plan: of a session that was started or left with one, and from the first that is begun. */
export function latePlanning(core: EngineCore): Planning {
  let planning: Planning | undefined;
  const load = async (): Promise<Planning> => {
    const { createPlanning } = await import("./plan.ts");
    return planning ??= createPlanning(core, PLAN_ENTRY);
  };
  const isAsked = (): boolean => {
    const { values } = core.config().invocation;
    return values["plan"] !== undefined || values["no-plan"] !== undefined ||
      core.conversation.store().entries().some((one) => one.type === "custom" && one.customType === PLAN_ENTRY);
  };
  return {
    state: () => planning?.state(),
    start: async () => await (await load()).start(),
    answer: async (answer) => await (await load()).answer(answer),
    restore: async () => planning || isAsked() ? await (await load()).restore() : undefined,
    refuses: (tool) => planning?.refuses(tool),
    runEnded: (outcome) => planning?.runEnded(outcome),
    read: (event) => planning?.read(event),
  };
}

/** Trials; `first` goes on already. */
export function lateTrials(core: EngineCore, move: (config: Config) => Promise<void>, first?: SessionTrial): Trials {
  let trials: Trials | undefined;
  const load = once(async () => trials = (await import("./trials.ts")).createTrials(core, move, first));
  return {
    state: () => trials ? trials.state() : first?.state(),
    result: () => trials?.result(),
    begin: async () => await (await load()).begin(),
    changes: async () => await (await load()).changes(),
    end: async (request) => await (await load()).end(request),
    close: async () => trials || first ? await (await load()).close() : undefined,
  };
}

/** What a person should know at the start whose settings let the commands behind `!` run outside the sandbox. */
export const UNCONFINED_NOTICE = "what you type after ! runs outside the sandbox, with all that you may do: " +
  'your settings say "userBash": "unconfined"';

/** What a person types behind `!`. */
export function lateUserBash(core: EngineCore, pending: Pending, audit: (event: AgentEvent) => void): UserBash {
  let loading: Promise<UserBash> | undefined;
  const load = (): Promise<UserBash> =>
    loading ??= import("./user_bash.ts").then(({ createUserBash }) => createUserBash(core, pending, audit));
  return {
    run: async (command, hidden) => await (await load()).run(command, hidden),
    abort: async () => await (await loading)?.abort(),
    close: async () => await (await loading)?.close(),
  };
}

/** Going to another session or branch. */
export function lateNavigation(core: EngineCore, abort: () => Promise<void>): Navigation {
  const load = once(async () => (await import("./session_navigation.ts")).createNavigation(core, abort));
  return {
    newSession: async (options) => await (await load()).newSession(options),
    switchSession: async (which, options) => await (await load()).switchSession(which, options),
    fork: async (...given) => await (await load()).fork(...given),
    navigate: async (...given) => await (await load()).navigate(...given),
  };
}

/** How deep sub-agents start others: the agent itself is 0. */
const DEEPEST_AGENT = 2;

/** Sub-agents of a session. */
export interface LateSubAgents {
  /** Whether a session at this depth may start any. */
  readonly areAllowed: boolean;
  readonly run: (tool: Tool, args: JsonObject, callId: string, options: CallOptions) => Promise<ToolResult>;
  readonly close: () => Promise<void>;
}

/** Sub-agents; `open` opens a session, given because this is a part of one. */
export function lateSubAgents(
  core: EngineCore,
  within: Pick<WithinSession, "agentId" | "depth"> | undefined,
  open: (options: EngineOptions) => Promise<Engine>,
): LateSubAgents {
  const depth = within?.depth ?? 0;
  let loading: Promise<SubAgents> | undefined;
  const load = (): Promise<SubAgents> =>
    loading ??= import("./sub_agents.ts").then(({ openSubAgents }) =>
      openSubAgents({ core, open, prefix: within ? `${within.agentId}.` : "a", depth })
    );
  return {
    areAllowed: depth < DEEPEST_AGENT,
    run: async (_tool, args, callId, options) => await (await load()).run(args, callId, options),
    close: async () => await (await loading)?.close(),
  };
}
