// Sub-agents: sessions of their own inside of this one, each under a policy that is narrower by structure, in processes of
// its own. The code of this file is loaded with the first call of `task`. What it is made
// from is in agents/. One file above the usual length: a call is one life, from its claims to its end.
import type { FoundAgent } from "../context/agents/agents.ts";
import { messageOf, ToolError } from "../core/error.ts";
import type { Engine } from "../core/engine.ts";
import type { AgentEvent } from "../core/event.ts";
import type { JsonObject } from "../core/json.ts";
import type { Policy } from "../core/policy.ts";
import type { CallOptions } from "../core/runner.ts";
import type { Provider } from "../core/provider.ts";
import { once } from "../core/support/once.ts";
import { errorResult } from "../core/tool.ts";
import type { ToolResult } from "../core/tool_result.ts";
import { writePrivateGitConfig } from "../sandbox/git/private_config.ts";
import { disk } from "../sandbox/system/disk.ts";
import type { TaskArgs } from "../../tools/mod.ts";
import type { EngineCore, EngineOptions } from "./parts.ts";
import { chainOf, type StandIns } from "./model/model.ts";
import { subSession } from "./sessions/session_choice.ts";
import { narrowed, requestOf } from "./resources/agents.ts";
import { openIdleProcesses } from "./tools/idle_processes.ts";
import { openNarrowTools } from "./tools/narrow_tools.ts";
import type { Asker } from "./tools/approval.ts";
import { rulesOf, scopesWanted, subConfig, toolNames, within } from "./agents/own_session.ts";
import { createAllowedPlaces } from "./agents/allowed_places.ts";
import { collectSubAgentFacts, taskResult } from "./agents/result.ts";
import { placesIn, scopeOf, whyNarrow } from "./agents/scope.ts";
import { createSlots } from "./agents/slots.ts";
import { createWriteClaims } from "./agents/write_claims.ts";
import { temporaryFolder } from "../sandbox/system/temporary_folder.ts";
import { PARALLEL_SUB_AGENTS } from "../config/run_settings.ts";

/** Runs the calls of the tool `task`. */
export interface SubAgents {
  /** Never rejects for what a sub-agent does. */
  readonly run: (args: JsonObject, callId: string, options: CallOptions) => Promise<ToolResult>;
  /** Stops all and waits until they have ended. */
  readonly close: () => Promise<void>;
}

/** What sub-agents are started with. */
export interface SubAgentsParts {
  readonly core: EngineCore;
  /** Opens a session; given, because this is a part of one. */
  readonly open: (options: EngineOptions) => Promise<Engine>;
  /** What their ids begin with: `a`, or the id of the sub-agent that starts them and a dot. */
  readonly prefix: string;
  /** Of whoever starts them: 0 for the agent itself. */
  readonly depth: number;
}

/** A call whose scopes are decided and whose write claims are taken. */
interface Entered {
  /** Of whoever calls. */
  readonly policy: Policy;
  readonly agent: FoundAgent | undefined;
  readonly write: readonly string[];
  readonly read: readonly string[] | undefined;
}

/** The sub-agents that one session starts. */
export function openSubAgents({ core, open, prefix, depth }: SubAgentsParts): SubAgents {
  const claims = createWriteClaims();
  const parallel = core.config().settings.agents?.parallel ?? PARALLEL_SUB_AGENTS;
  const slots = createSlots(parallel);
  const kept = openIdleProcesses(parallel);
  const running = new Set<Promise<unknown>>();
  const closing = new AbortController();
  let count = 0;
  let entering: Promise<unknown> = Promise.resolve();

  /** Calls of one reply pass here one after the other: if two claim the same place, the first one gets it. */
  const enter = async (agentId: string, args: TaskArgs): Promise<Entered> => {
    const { policy } = core.tools;
    // This program, which no policy holds, would read the file.
    if (args.model !== undefined && chainOf(args.model).some((name) => name.startsWith("replay:"))) {
      throw new ToolError(
        `Nothing was started: ${args.model} is no name of a model. Leave model out, or name another one`,
      );
    }
    const agent = args.agent === undefined ? undefined : await named(args.agent);
    const wanted = scopesWanted(args, agent);
    const write = placesIn(policy, "write", wanted.write);
    const read = wanted.read && placesIn(policy, "read", wanted.read);
    if (agent && agent.write !== "argument") within(agent.name, write, placesIn(policy, "write", agent.write));
    if (agent?.read && read) within(agent.name, read, placesIn(policy, "read", agent.read));
    const conflict = claims.conflict(agentId, write);
    if (conflict !== undefined) {
      throw new ToolError(
        `Nothing was started: ${conflict}. Two sub-agents never write in one place: give them scopes apart, or call this ` +
          "one when the other has ended",
      );
    }
    claims.take(agentId, write);
    return { policy, agent, write, read };
  };

  const run = async (args: TaskArgs, callId: string, options: CallOptions): Promise<ToolResult> => {
    const spent = options.budget?.spent();
    if (spent !== undefined) return errorResult(`Nothing was started: the run has reached its limit ${spent}`);
    const agentId = `${prefix}${++count}`;
    const entered = entering.then(() => enter(agentId, args));
    entering = entered.catch(() => {});
    const has = await entered;
    try {
      const signal = AbortSignal.any([options.signal, closing.signal]);
      const leave = await slots.enter(signal);
      if (leave === undefined) return errorResult("Nothing was started: the run was stopped");
      try {
        return await live({ agentId, args, callId, ...has, signal, options });
      } finally {
        leave();
      }
    } finally {
      claims.release(agentId);
    }
  };

  const named = async (name: string): Promise<FoundAgent> => {
    const { agents } = await core.agents();
    const agent = agents.find((one) => one.name === name);
    if (agent) return agent;
    throw new ToolError(
      `Nothing was started: there is no agent "${name}". There is ${agents.map((one) => one.name).join(", ")}`,
    );
  };

  const live = async (
    given: Entered & {
      readonly agentId: string;
      readonly args: TaskArgs;
      readonly callId: string;
      readonly signal: AbortSignal;
      readonly options: CallOptions;
    },
  ): Promise<ToolResult> => {
    const { agentId, agent, args, callId, policy: parent, write, read, signal, options } = given;
    const { base } = core.tools;
    if (base === undefined) return errorResult("Nothing was started: there are no tools here");
    const config = core.config();
    const folder = temporaryFolder();
    const places = createAllowedPlaces(parent.root);
    try {
      Deno.mkdirSync(`${folder.path}/cache`, { mode: 0o700 });
      const policy = narrowed(parent, {
        ...(agent ? requestOf(agent) : {}),
        write,
        ...(read ? { read } : {}),
        folders: { tmp: folder.path, cache: `${folder.path}/cache` },
      });
      const model = args.model ?? agent?.model;
      const names = toolNames(core.tools, core.toolset, args.tools, agent, write.length > 0, policy);
      const { askFor } = core.tools;
      const { take, facts } = collectSubAgentFacts(places);
      // While a plan is made nobody is asked for more.
      const asker: Asker | undefined = core.tools.held ? undefined : askFor && {
        ask: async (denial, call, stop) => {
          const answer = await askFor(denial, { agentId, agentDescription: args.description, ...call }, stop);
          if (answer !== "no" && denial.kind === "write") {
            claims.take(agentId, [denial.grant]);
            places.add(denial.grant);
          }
          return answer;
        },
        onTrouble: (sentence) => core.notify(`${agentId}: ${sentence}`),
      };
      // The other scopes are the session's.
      const isNamed = {
        read: read !== undefined || agent?.read !== undefined,
        write: true,
        run: agent !== undefined && !agent.run,
        net: agent?.net !== undefined,
      };
      const reused = kept.take(policy, names);
      const tools = openNarrowTools({ bundled: core.tools.bundled, base }, {
        policy: reused?.policy ?? policy,
        names,
        ...(reused ? { first: reused } : {}),
        // What was stopped may still work.
        onEnd: (processes) => facts().ending === "done" ? kept.give(processes, names) : processes.close(),
        ...(asker ? { asker } : {}),
        whyNarrow: async (claim) => whyNarrow(claim, isNamed[claim.kind], await core.tools.told(claim)),
        // One that only reads stays so, and a place that another one writes is not to be had.
        mayGrant: ({ kind, grant }) =>
          kind !== "write" || (write.length > 0 && claims.conflict(agentId, [grant]) === undefined),
        warn: (line) => core.notify(`${agentId}: ${line}`),
      });
      const store = subSession(config, core.conversation.store(), (notice) => core.notify(notice));
      store.append({
        type: "custom",
        customType: "sub_agent",
        data: {
          agentId,
          toolCallId: callId,
          description: args.description,
          ...(agent ? { agent: agent.name } : {}),
        },
      });
      const scope = scopeOf(policy, write, read);
      const who = {
        agentId,
        toolCallId: callId,
        sessionId: store.header.id,
        ...(store.path === undefined ? {} : { sessionFile: store.path }),
      };
      let engine: Engine;
      try {
        engine = await open({
          config: subConfig(config, args, agent, {
            isReading: write.length === 0,
            isNarrow: read !== undefined,
            ownModel: model,
            thinking: core.model.thinking(),
          }),
          choice: await choiceOf(core, agentId, model),
          channel: "text",
          hardens: false,
          ...(agent?.answer ? { answerSchema: agent.answer } : {}),
          additions: { rules: rulesOf(scope, parent.root) },
          onLeft: (line) => core.notify(`${agentId}: ${line}`),
          within: {
            tools,
            store,
            agentId,
            depth: depth + 1,
            hooks: core.guards,
            ...(options.budget ? { whole: options.budget } : {}),
          },
        });
      } catch (error) {
        await tools.close();
        store.close();
        return errorResult(`Nothing was started: ${messageOf(error)}`);
      }
      core.emit({
        type: "subagent_start",
        description: args.description,
        ...(agent ? { agent: agent.name } : {}),
        scope,
        ...who,
      });
      const giveGitConfig = once(() => {
        if (scope.run) writePrivateGitConfig(policy.tmp, { ...policy, env: config.world.env, view: disk });
      });
      const forget = engine.subscribe((event) => {
        // The request is out, and no command has begun.
        if (event.type === "message_start" && event.message.role === "assistant") giveGitConfig();
        take(event);
        core.emit(isAboutSubAgents(event) ? event : { type: "subagent_event", agentId, event });
      });
      const stop = (): void => void engine.abort();
      signal.addEventListener("abort", stop, { once: true });
      const own = options.ready ? { ready: options.ready } : {};
      try {
        if (model !== undefined) await engine.setModel(model);
        if (!signal.aborted) await engine.prompt({ text: args.prompt, source: "extension", ...own });
      } catch (error) {
        return errorResult(`The sub-agent could not run: ${messageOf(error)}`);
      } finally {
        signal.removeEventListener("abort", stop);
        try {
          await engine.close();
        } finally {
          forget();
          const { answer: _answer, allowed: _allowed, unseen: _unseen, ...end } = facts();
          core.emit({ type: "subagent_end", ...who, ...end });
        }
      }
      return taskResult(facts(), who, scope);
    } finally {
      places.close();
      folder.remove();
    }
  };

  return {
    run: async (args, callId, options) => {
      // Checked by the loop against the tool's schema.
      const call = run(args as unknown as TaskArgs, callId, options).catch((error) => {
        if (error instanceof ToolError) return errorResult(error.message);
        return errorResult(`The sub-agent could not be started: ${messageOf(error)}`);
      });
      running.add(call);
      return await call.finally(() => running.delete(call));
    },
    close: async () => {
      closing.abort();
      await Promise.allSettled(running);
      await kept.close();
    },
  };
}

function isAboutSubAgents({ type }: AgentEvent): boolean {
  return type === "subagent_start" || type === "subagent_event" || type === "subagent_end";
}

/**
 * Its parent's own connection, and the models that stand in there; or, for another model, whoever that name leads to from
 * there.
 */
async function choiceOf(
  { model }: EngineCore,
  agentId: string,
  named: string | undefined,
): Promise<EngineOptions["choice"]> {
  if (named !== undefined) return model.choice();
  const { provider, id, contextWindow, maxTokens } = await model.current();
  const standIns = (): StandIns => {
    const { isThere, take } = model.standIns();
    return {
      isThere,
      take: async () => {
        const next = await take();
        return next && { ...next, provider: marked(next.provider, agentId) };
      },
    };
  };
  const size = maxTokens === undefined ? {} : { maxTokens };
  return { kind: "given", provider: marked(provider, agentId), model: id, contextWindow, ...size, standIns };
}

/** Says whose requests they are. Of one that was started by another one they are its own. */
function marked(provider: Provider, agentId: string): Provider {
  return {
    name: provider.name,
    get model() {
      return provider.model;
    },
    stream: (request, signal) => provider.stream({ agentId, ...request }, signal),
  };
}
