import type { AgentDeps, SessionState } from "../agent/deps.ts";
import { createQueues, type Queues } from "../agent/queues.ts";
import { runPrompt } from "../agent/run.ts";
import type { Config } from "../config/config.ts";
import { retryOf, runLimitsOf } from "../config/run_settings.ts";
import type { Manifest } from "../core/compiled_prompt.ts";
import type { UserPrompt } from "../core/engine.ts";
import type { AgentEvent } from "../core/event.ts";
import type { Hooks } from "../core/hook.ts";
import type { AgentMessage, RequestMessage, Usage } from "../core/message.ts";
import type { Budget } from "../core/runner.ts";
import { sleep } from "../core/support/sleep.ts";
import { errorResult } from "../core/tool.ts";
import type { SessionChanges } from "./changes/session_changes.ts";
import type { Compactor } from "./compaction.ts";
import type { ActiveModel } from "./model_state.ts";
import type { PromptState } from "./prompt_state.ts";
import type { RolledHistory } from "./rolled_history.ts";
import type { TodoList } from "./todo_list.ts";
import type { KnownTool } from "./tools/toolset.ts";

/** What a run of the loop is made from. */
export interface TurnParts {
  readonly config: Config;
  readonly state: SessionState;
  readonly queues: Queues;
  readonly prompt: PromptState;
  readonly compactor: Compactor;
  readonly hooks: Hooks | undefined;
  /** What stands for the conversation up to here, where the rolling history owns it. */
  readonly rolled: RolledHistory | undefined;
  /** What making the history shorter has cost before the run. */
  readonly spent: Usage | undefined;
  /** Sent along so that the server finds what it cached of this session: the session's id, neither a secret nor a path. */
  readonly cacheKey: string;
  /** What was said of retries since the start; undefined: the settings say it. */
  readonly isRetryOn: () => boolean | undefined;
  /** Milliseconds of the run's wall clock that have passed already. */
  readonly elapsedMs: number;
  /** Limits of the run that started this session. */
  readonly whole: Budget | undefined;
  /** What the run has to show before it is done. */
  readonly proof: Pick<AgentDeps, "judge" | "answerSchema" | "afterCalls">;
  /** The models that stand in for the one that answers. */
  readonly fallback: {
    readonly isThere: () => boolean;
    /** The next one that can be had; undefined: there is none. */
    readonly take: () => Promise<ActiveModel | undefined>;
  };
  /** See AgentDeps. */
  readonly toolRejections: NonNullable<AgentDeps["toolRejections"]>;
  /** Why a tool does not run now; undefined: it may. */
  readonly refuses: (tool: KnownTool) => string | undefined;
  readonly todo: Pick<TodoList, "itemsBeyond">;
  /** Called before a request's prompt is compiled. */
  readonly beforeRequest: () => void;
  /** Called when a request is on its way. */
  readonly onRequest: () => void;
  /** Called before each call of a tool, which begins when it resolves. */
  readonly beforeCall: SessionChanges["beforeCall"];
  /** As of `UserPrompt`. */
  readonly ready: UserPrompt["ready"];
}

function limitsAfter(limits: AgentDeps["limits"], elapsedMs: number): AgentDeps["limits"] {
  const { timeoutMs } = limits;
  return timeoutMs === undefined ? limits : { ...limits, timeoutMs: Math.max(1, timeoutMs - elapsedMs) };
}

/** Runs the agent's loop (src/agent/run.ts) for one prompt, with this session's prompt, tools, hooks and compaction as its callbacks. */
export function runTurns(
  messages: readonly AgentMessage[],
  model: ActiveModel,
  parts: TurnParts,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent> {
  const { config, state, queues, prompt, compactor, hooks } = parts;
  let { rolled } = parts;
  let active = model;
  const deps: AgentDeps = {
    get provider() {
      return active.provider;
    },
    compile: (round) => {
      parts.beforeRequest();
      prompt.noteHistory(rolled?.record ?? checkpointRecord(state.messages));
      const sent = rolled ? [...rolled.messages, ...state.messages.slice(rolled.covered)] : state.messages;
      const hasTodo = prompt.tools().some(({ tool }) => tool.name === "todo");
      const compiled = prompt.compile(round, sent, hasTodo ? parts.todo.itemsBeyond(sent) : []);
      parts.onRequest();
      return compiled;
    },
    // What the last request offered: a server or a grant may change it in the middle of a run.
    get tools() {
      return new Map(prompt.tools().map(({ tool }) => [tool.name, tool]));
    },
    runTool: async (tool, args, callId, options) => {
      const known = prompt.tools().find((one) => one.tool.name === tool.name);
      if (!known) throw new Error(`the tool ${tool.name} is gone`);
      const refusal = parts.refuses(known);
      if (refusal !== undefined) return errorResult(refusal, { isDenied: true });
      await parts.ready?.(options.signal);
      await parts.beforeCall({ toolCallId: callId, toolName: tool.name }, {
        isBackground: args["background"] === true,
        signal: options.signal,
      });
      if (options.signal.aborted) return errorResult("Not run: the run was stopped before this call");
      return await known.run(args, callId, parts.ready ? { ...options, ready: parts.ready } : options);
    },
    limits: limitsAfter(runLimitsOf(config), parts.elapsedMs),
    ...(parts.whole ? { whole: parts.whole } : {}),
    spent: parts.spent,
    get retry() {
      return retryOf(config, parts.isRetryOn());
    },
    get thinking() {
      return active.thinking;
    },
    get maxTokens() {
      return active.maxTokens;
    },
    cacheKey: parts.cacheKey,
    toolExecution: config.settings.toolExecution ?? "sequential",
    queues,
    now: Date.now,
    random: Math.random,
    sleep,
    transformContext: async (all, stop) => {
      await parts.ready?.(stop);
      return await requestMessages(all, rolled, parts, stop);
    },
    // Asked with each call: a handler that is registered during the run holds from the next one on.
    beforeToolCall: async ({ id, name, args }, stop) =>
      hooks?.has("tool_call") ? await hooks.toolCall({ toolCallId: id, toolName: name, input: args }, stop) : undefined,
    afterToolResult: async ({ id, name, args }, result, stop) =>
      hooks?.has("tool_result")
        ? await hooks.toolResult({ toolCallId: id, toolName: name, input: args }, result, stop)
        : result,
    onOverflow: async function* (failure, stop) {
      const isShorter = yield* compactor.overflowed(failure, stop);
      // The conversation is another one now: what was chosen of the old one stands for nothing in it.
      if (isShorter) rolled = undefined;
      return isShorter;
    },
    toolRejections: parts.toolRejections,
    ...parts.proof,
    fallback: {
      isThere: parts.fallback.isThere,
      async *take({ message }) {
        const { id } = active;
        const next = await parts.fallback.take();
        if (!next) return false;
        active = next;
        yield { type: "notice", level: "warning", message: `${id} refused: ${message} ${next.id} answers from now on` };
        return true;
      },
    },
    ...(rolled || !compactor.isOn() ? {} : { betweenTurns: (stop) => compactor.ifNeeded(stop) }),
  };
  return runPrompt(messages, state, deps, signal);
}

/** The queues of a session, with the modes of the settings. */
export function queuesOf({ settings }: Config): Queues {
  return createQueues({
    steering: settings.steeringMode ?? "one-at-a-time",
    followUp: settings.followUpMode ?? "one-at-a-time",
  });
}

/** What a manifest says of a conversation that begins with a checkpoint's summary, or that was never shortened (R322). */
function checkpointRecord(messages: readonly AgentMessage[]): Manifest["history"] {
  const [first] = messages;
  if (first?.role !== "compactionSummary") return { decision: "full" };
  return {
    decision: "compressed",
    owner: "checkpoint",
    messages: messages.length,
    ...(first.tokensBefore > 0 ? { tokensBefore: first.tokensBefore } : {}),
    ...(first.tokensAfter === undefined ? {} : { tokensAfter: first.tokensAfter }),
  };
}

/**
 * Context hooks see every message (R196); what comes out of them is converted (R197), and shortened where a single message
 * does not fit. The summary of a rolling history is
 * none of theirs: it speaks with the system's role.
 */
async function requestMessages(
  all: readonly AgentMessage[],
  rolled: RolledHistory | undefined,
  { hooks, compactor }: Pick<TurnParts, "hooks" | "compactor">,
  signal: AbortSignal,
): Promise<readonly RequestMessage[]> {
  const chosen = rolled ? [...rolled.messages, ...all.slice(rolled.covered)] : all;
  const seen = hooks?.has("context") ? await hooks.context(chosen, signal) : chosen;
  const converted = await compactor.fit(seen, signal);
  return rolled?.summary ? [rolled.summary, ...converted] : converted;
}
