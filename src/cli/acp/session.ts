import {
  type AgentContext,
  type ClientCapabilities,
  RequestError,
  type SessionUpdate,
  type StopReason,
} from "@agentclientprotocol/sdk";
import type { Engine, PromptOutcome } from "../../core/engine.ts";
import { UserError } from "../../core/error.ts";
import type { AgentEvent } from "../../core/event.ts";
import type { AssistantMessage } from "../../core/message.ts";
import type { Config } from "../../config/config.ts";
import { openEngine } from "../../engine/engine.ts";
import type { ModelChoice } from "../../engine/model/model.ts";
import { Backlog } from "../output/backlog.ts";
import { askAboutPlan, modeOf } from "./plan.ts";
import { askClient } from "./permission.ts";
import { subAgentCalls } from "./sub_agents.ts";
import type { SaidByClient } from "./prompt_blocks.ts";
import { createUpdates } from "./updates.ts";

/** One session of a client: an engine of its own, in a workspace of its own. */
export interface AcpSession {
  readonly id: string;
  readonly engine: Engine;
  readonly models: readonly string[];
  /** Runs a prompt to its end. Throws what the engine and `stopReason` throw. */
  readonly prompt: (said: SaidByClient, signal: AbortSignal) => Promise<StopReason>;
  /** The prompt at hand then ends as `cancelled`; nothing happens without one. */
  readonly cancel: () => void;
  /** Tells what a kept session holds. */
  readonly replay: () => void;
  /** Keeps what the client is told when it knows the session. */
  readonly keepNotices: (notices: readonly string[]) => void;
  /** Tells what there is to know of the start, and which commands there are: again whenever these are others. */
  readonly introduce: () => void;
  readonly close: () => Promise<void>;
}

/** What a session is opened with. */
export interface AcpSessionOptions {
  readonly config: Config;
  readonly choice: ModelChoice;
  readonly client: AgentContext;
  readonly capabilities: ClientCapabilities | undefined;
  /** As of EngineOptions. */
  readonly onLeft: (line: string) => void;
}

/** Opens a session whose events go to the client as updates. Throws as `openEngine` does. */
export async function openAcpSession(
  { config, choice, client, capabilities, onLeft }: AcpSessionOptions,
): Promise<AcpSession> {
  const callOf = new Map<string, string>();
  const subAgents = subAgentCalls();
  let active: { isCancelled: boolean } | undefined;
  let id = "";
  let last: AssistantMessage | undefined;
  const engine = await openEngine({
    config,
    choice,
    channel: "rpc",
    ask: askClient(client, () => id, (question) => callOf.get(question)),
    onLeft,
  });
  id = engine.state().sessionId;
  const updates = createUpdates({ root: config.root, home: config.world.home }, capabilities?.session);
  // A client that is gone closes the connection, which ends the session.
  const backlog = new Backlog();
  const send = (update: SessionUpdate): void => {
    backlog.add();
    void client.notify("session/update", { sessionId: id, update }).catch(() => {}).finally(() => backlog.remove());
  };
  let isIntroduced = false;
  let notices: readonly string[] = [];
  let told = "[]";
  const tellCommands = (): void => {
    const availableCommands = engine.commands().map(({ name, description }) => ({ name, description }));
    const text = JSON.stringify(availableCommands);
    if (text === told) return;
    told = text;
    send({ sessionUpdate: "available_commands_update", availableCommands });
  };
  engine.subscribe((event: AgentEvent) => {
    if (event.type === "permission_request") {
      // A client knows the call that a sub-agent stands for, and none of its own.
      const whose = event.agentId === undefined ? undefined : subAgents.callOf(event.agentId);
      callOf.set(event.id, whose ?? event.toolCallId);
    }
    if (event.type === "permission_decision") callOf.delete(event.id);
    // It was cancelled before there was anything to stop.
    if (event.type === "agent_start" && active?.isCancelled) void engine.abort();
    // A failed reply is not kept in the conversation.
    if (event.type === "message_end" && event.message.role === "assistant") last = event.message;
    if (!backlog.takes(event)) return;
    for (const update of updates.of(subAgents.progress(event) ?? event)) send(update);
    // Servers may bring others while the session runs.
    if (isIntroduced && (event.type === "agent_settled" || event.type === "session_changed")) tellCommands();
    if (event.type === "plan_update" || event.type === "session_changed") {
      send({ sessionUpdate: "current_mode_update", currentModeId: modeOf(engine) });
    }
  });
  /** Asks the client about the plan that waits; gives what became of the run that carries it out. */
  const answered = async (planned: PromptOutcome, signal: AbortSignal): Promise<PromptOutcome> => {
    const answer = await askAboutPlan(client, id, signal).catch(() => undefined);
    if (answer === undefined || engine.state().plan?.text === undefined) return planned;
    return await engine.answerPlan({ kind: answer }) ?? planned;
  };
  const tellUsage = (): void => {
    const { context: { tokens: used, contextWindow: size }, totals: { cost } } = engine.state();
    if (size > 0) {
      send({
        sessionUpdate: "usage_update",
        used,
        size,
        ...(cost > 0 ? { cost: { amount: cost, currency: "USD" } } : {}),
      });
    }
  };
  return {
    id,
    engine,
    models: Object.keys(config.settings.models ?? {}),
    async prompt({ text, images }, signal) {
      const own = { isCancelled: false };
      const cancel = (): void => {
        own.isCancelled = true;
        if (active === own) void engine.abort();
      };
      signal.addEventListener("abort", cancel);
      if (!active) active = own;
      try {
        let outcome = await engine.prompt({
          text,
          source: "rpc",
          ready: (stopped) => backlog.ready(stopped),
          ...(images.length > 0 ? { images } : {}),
        });
        // The plan is answered in the turn that made it, as clients ask about everything else.
        if (outcome.kind === "run" && outcome.ending === "done" && engine.state().plan?.text !== undefined) {
          outcome = await answered(outcome, signal);
        }
        tellUsage();
        return stopReason(outcome, last, own.isCancelled);
      } catch (error) {
        // Whatever a cancelled prompt ran into is no error of it (X21).
        if (own.isCancelled) return "cancelled";
        if (!(error instanceof UserError) || active === own) throw error;
        const why = "a prompt of this session is under way: wait for its response, or send session/cancel first";
        throw RequestError.invalidRequest(undefined, why);
      } finally {
        signal.removeEventListener("abort", cancel);
        if (active === own) active = undefined;
      }
    },
    cancel() {
      if (!active) return;
      active.isCancelled = true;
      void engine.abort();
    },
    replay() {
      for (const update of updates.replay(engine.messages())) send(update);
    },
    keepNotices: (next) => void (notices = next),
    introduce() {
      isIntroduced = true;
      for (const message of notices) {
        for (const update of updates.of({ type: "notice", level: "warning", message })) send(update);
      }
      tellCommands();
      // Those of servers come when these are ready.
      void engine.ready?.().then(tellCommands);
    },
    close: () => engine.close(),
  };
}

/**
 * How a prompt ended, in the protocol's words (X20). `wasCancelled` stands above everything (X21).
 *
 * Throws `RequestError` when the model could not be asked or gave no answer: the protocol has no word for that.
 */
export function stopReason(
  outcome: PromptOutcome,
  last: AssistantMessage | undefined,
  wasCancelled: boolean,
): StopReason {
  if (wasCancelled) return "cancelled";
  // A command of an extension ran, or a hook took the text: nothing is left to be done.
  if (outcome.kind !== "run") return "end_turn";
  switch (outcome.ending) {
    case "done":
      return "end_turn";
    case "aborted":
      return "cancelled";
    case "limit":
      return outcome.limit === "output" || outcome.limit === "maxTokensTotal" ? "max_tokens" : "max_turn_requests";
    case "unproven":
      return "end_turn";
    case "error":
      if (last?.failure?.kind === "content_filter") return "refusal";
      throw RequestError.internalError(undefined, outcome.errorMessage ?? "the model gave no answer");
  }
}
