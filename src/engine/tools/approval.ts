import type { AskPermission, SessionDenial } from "../../core/engine.ts";
import { messageOf, UserError } from "../../core/error.ts";
import type { AgentEvent, Denial, PermissionAnswer } from "../../core/event.ts";
import type { JsonObject } from "../../core/json.ts";
import type { CallOptions } from "../../core/runner.ts";
import type { Tool } from "../../core/tool.ts";
import type { ToolResult } from "../../core/tool_result.ts";
import { allows } from "../../sandbox/denial/grantable.ts";
import type { Config } from "../../config/config.ts";
import { type ActivePolicy, grantableIn, offeredIn, withLine } from "./active_policy.ts";
import { grantFolder } from "./grant_folder.ts";
import { recordGrant } from "./grants.ts";

/** The call that met a denial. */
export interface DeniedCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** The sub-agent whose call it was, and what it is about; absent for the agent itself. */
  readonly agentId?: string;
  readonly agentDescription?: string;
}

/** Whoever can answer a denial. */
export interface Asker {
  /**
   * Asks the person. Called for one denial at a time. Must settle when `signal` aborts; a rejection and anything that is
   * no answer count as "no".
   */
  readonly ask: (denial: Denial, call: DeniedCall, signal: AbortSignal) => Promise<PermissionAnswer>;
  /** Hears why an answer could not be carried out. */
  readonly onTrouble?: (sentence: string) => void;
}

/** An asker, and where answers for the project are kept: `record` throws UserError when they cannot be. */
export interface Recorder extends Asker {
  readonly record: (denial: Denial) => void;
}

/** Runs calls, and asks about what they are denied. */
export interface ApprovedRun {
  readonly run: RunTool;
  /**
   * Asks for a sub-agent, in turn with all other questions. What is allowed for longer than one call is granted here, too:
   * nobody may more than whoever started him. Must not reject; `no` also where it could not be granted.
   */
  readonly askFor: Asker["ask"];
  /** Denials of this session that a grant would lift and that no grant has lifted; see `EngineState.denials`. */
  readonly denials: () => readonly SessionDenial[];
  /** Grants one of `denials()`. Rejects with UserError as `Engine.allow`. */
  readonly allow: (denial: Denial, duration: "session" | "project") => Promise<void>;
  /** Another session begins: nothing that was answered in the one before holds in it. */
  readonly beginSession: () => void;
}

/** Puts an asker between calls and the policy in force; answers for the project are stored in the user's settings. */
export type Approving = (activePolicy: ActivePolicy, config: Config) => ApprovedRun;

/** The same for one who can answer. */
export function approving(asker: Asker): Approving {
  return (activePolicy, config) =>
    runWithApproval(activePolicy, {
      ask: (...question) => asker.ask(...question),
      onTrouble: (sentence) => asker.onTrouble?.(sentence),
      record: (denial) => recordGrant(grantFolder(config), config.root, denial),
    });
}

/** Runs one tool call; never rejects for what the tool does. */
type RunTool = (tool: Tool, args: JsonObject, callId: string, options: CallOptions) => Promise<ToolResult>;

/** Denials of a session that are remembered for `allow`; the oldest ones are dropped. */
const MAX_REMEMBERED = 100;

const ANSWERS: readonly PermissionAnswer[] = ["once", "session", "project", "no"];
const NO = "The user was asked and did not allow it.";
const LEFT = "The session was left before the question was answered: nothing was allowed.";

/**
 * Runs calls and asks about denials: a call that failed and may be allowed runs once more with the grant, from its start.
 *
 * What was refused is not asked again in the session; what was allowed meanwhile needs no question.
 */
export function runWithApproval(activePolicy: ActivePolicy, asker: Recorder): ApprovedRun {
  let refused = new Set<string>();
  let queue: Promise<unknown> = Promise.resolve();
  /** By kind and grant: two files of one directory need the same grant. */
  const remembered = new Map<string, SessionDenial>();

  const remember = (denials: readonly Denial[], { toolName, agentId }: Omit<DeniedCall, "toolCallId">): void => {
    for (const denial of denials) {
      const key = `${denial.kind} ${denial.grant}`;
      remembered.delete(key);
      remembered.set(key, { denial, toolName, ...(agentId === undefined ? {} : { agentId }) });
    }
    for (const key of [...remembered.keys()].slice(0, -MAX_REMEMBERED)) remembered.delete(key);
  };
  const denials = (): readonly SessionDenial[] =>
    [...remembered.values()].filter(({ denial }) => !allows(activePolicy.current().policy, denial));

  /** One question at a time: the next one is perhaps answered by the one before. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = queue.then(work);
    queue = done.catch(() => {});
    return done;
  };

  const ask = async (
    denial: Denial,
    call: DeniedCall,
    signal: AbortSignal,
    refusals: Set<string>,
  ): Promise<PermissionAnswer> => {
    const key = `${call.agentId ?? ""} ${denial.kind} ${denial.target}`;
    if (signal.aborted || refusals.has(key)) return "no";
    // Answers come from other processes, too.
    const said: unknown = await asker.ask(denial, call, signal).catch(() => "no");
    // Nobody decided anything.
    if (signal.aborted) return "no";
    const answer = ANSWERS.find((known) => known === said) ?? "no";
    if (answer === "no") refusals.add(key);
    return answer;
  };

  const keep = (denial: Denial): void => {
    try {
      asker.record(denial);
      activePolicy.keep(denial);
    } catch (error) {
      asker.onTrouble?.(messageOf(error));
    }
  };

  const run: RunTool = async (tool, args, callId, options) => {
    const { signal } = options;
    const session = refused;
    const first = await activePolicy.run(tool, args, options);
    remember(grantableIn(first), { toolName: tool.name });
    const denial = first.isError ? offeredIn(first) : undefined;
    if (denial === undefined || signal.aborted) return first;
    try {
      const goesOn = options.onWait?.();
      const answer = await inTurn(async () => {
        if (allows(activePolicy.current().policy, denial)) return "allowed";
        if (session !== refused) return "left";
        const answer = await ask(denial, { toolCallId: callId, toolName: tool.name }, signal, session);
        // A typed command may outlast the session in which it was begun.
        if (session !== refused) return "left";
        if (answer === "session" || answer === "project") await activePolicy.grant(denial);
        if (answer === "project") keep(denial);
        return answer;
      }).finally(() => goesOn?.());
      if (answer === "left") return withLine(first, LEFT);
      if (answer === "no") return signal.aborted ? first : withLine(first, NO, true);
      if (answer === "once") return await activePolicy.runOnce(denial, tool, args, options);
      return await activePolicy.run(tool, args, options);
    } catch (error) {
      asker.onTrouble?.(messageOf(error));
      return withLine(first, "The user allowed it, but it could not be granted.");
    }
  };
  const askFor: Asker["ask"] = (denial, call, signal) => {
    const session = refused;
    return inTurn(async () => {
      if (session !== refused) return "no";
      remember([denial], call);
      const answer = await ask(denial, call, signal, session);
      if (session !== refused) return "no";
      if (answer !== "session" && answer !== "project") return answer;
      if (!allows(activePolicy.current().policy, denial)) await activePolicy.grant(denial);
      if (answer === "project") keep(denial);
      return answer;
    }).catch((error) => {
      asker.onTrouble?.(messageOf(error));
      return "no";
    });
  };
  return {
    run,
    askFor,
    denials,
    allow: (denial, duration) =>
      inTurn(async () => {
        const { kind, target, grant } = denial;
        if (!denials().some(({ denial: one }) => one.kind === kind && one.grant === grant)) throw notDenied(denial);
        await activePolicy.grant({ kind, target, grant });
        if (duration === "project") keep(denial);
      }),
    beginSession() {
      refused = new Set();
      remembered.clear();
      activePolicy.beginSession();
    },
  };
}

function notDenied({ kind, target }: Denial): UserError {
  return new UserError({
    what: `Cannot allow ${kind} for "${target}"`,
    why: "nothing of this kind was denied in this session, or it is allowed already",
    fix: `Use --allow-${kind} at the next start`,
  });
}

/**
 * An asker whose questions and decisions are events: each `permission_request` is followed by one `permission_decision`
 * with its id, also when the answer is an abort or a failure.
 */
export function permissionEvents(
  ask: AskPermission,
  emit: (event: AgentEvent) => void,
  newId: () => string = () => crypto.randomUUID(),
): Asker {
  return {
    async ask(denial, { toolCallId, toolName, agentId, agentDescription = "" }, signal) {
      const id = newId();
      const whose = agentId === undefined ? {} : { agentId, agentDescription };
      emit({ type: "permission_request", id, toolCallId, toolName, denial, ...whose });
      const answer = await ask({ id, toolName, denial, ...whose }, signal).catch(() => "no" as const);
      // A run that was stopped decided nothing, whatever a late answer says.
      const decided = signal.aborted ? "no" : answer;
      emit({ type: "permission_decision", id, answer: decided });
      return decided;
    },
    onTrouble: (message) => emit({ type: "notice", level: "warning", message }),
  };
}
