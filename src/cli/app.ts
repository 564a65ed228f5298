import { runPrompt } from "../agent/run.ts";
import { createQueues } from "../agent/queues.ts";
import type { AgentDeps, RoundRequest, SessionState } from "../agent/deps.ts";
import { sleep } from "../agent/sleep.ts";
import type { AgentEvent } from "../core/event.ts";
import { compileRound, compileStable, type StablePart } from "../prompt/compile.ts";
import type { CompiledPrompt } from "../core/prompt.ts";
import type { Provider, ToolDefinition } from "../core/provider.ts";
import { policyRecord } from "../sandbox/describe.ts";
import { toolDefinition } from "../../tools/mod.ts";
import { gatherBase, type PromptBase } from "./base.ts";
import type { Config } from "./config.ts";
import { openTools, type ToolsHost } from "./tools_host.ts";

/** One session, wired: the tools are starting, the prompt is compiled. */
export interface App {
  readonly config: Config;
  readonly tools: ToolsHost;
  readonly base: PromptBase;
  readonly notices: readonly string[];
  /** The system prompt of a round; pure. */
  readonly compile: (
    round: RoundRequest,
  ) => { readonly prompt: CompiledPrompt; readonly tools: readonly ToolDefinition[] };
  /** Runs one user prompt. Never throws for what the model or a tool does. */
  readonly run: (
    text: string,
    provider: Provider,
    maxTokens: number | undefined,
    signal: AbortSignal,
  ) => AsyncGenerator<AgentEvent>;
  /** Ends every process of the session. */
  readonly close: () => Promise<void>;
}

/**
 * Wires a session. The runner's process starts first, so that it warms up while context is gathered and the prompt is
 * compiled. With `startTools: false` nothing is started (for commands that only look).
 */
export async function openApp(config: Config, options: { readonly startTools: boolean }): Promise<App> {
  const tools = openTools(config, options.startTools);
  const base = await gatherBase(config, tools);
  const stable = compileStable(base.inputs);
  const definitions = tools.active.map(toolDefinition);
  const policy = policyRecord(tools.policy);
  const compile = (round: RoundRequest) => compileFor(round, base, stable, definitions, policy);
  const state: SessionState = { messages: [] };
  const queues = createQueues({
    steering: config.settings.steeringMode ?? "one-at-a-time",
    followUp: config.settings.followUpMode ?? "one-at-a-time",
  });
  return {
    config,
    tools,
    base,
    notices: [...config.warnings, ...tools.notices],
    compile,
    run: async function* (text, provider, maxTokens, signal) {
      const deps: AgentDeps = {
        provider,
        compile,
        tools: new Map(tools.active.map((tool) => [tool.name, tool])),
        runTool: tools.run,
        limits: limitsOf(config),
        retry: { maxRetries: 3, baseDelayMs: 1000, maxDelayMs: 60_000, ...config.settings.retry },
        thinking: thinkingOf(config),
        ...(maxTokens === undefined ? {} : { maxTokens }),
        toolExecution: config.settings.toolExecution ?? "sequential",
        queues,
        now: Date.now,
        random: Math.random,
        sleep,
      };
      const input = [{ role: "user" as const, content: text, timestamp: Date.now() }];
      for await (const event of runPrompt(input, state, deps, signal)) {
        // The request is on its way: the shell has time to warm up while the model thinks.
        if (event.type === "prompt_compiled") tools.warmSoon();
        yield event;
      }
    },
    close: tools.close,
  };
}

function compileFor(
  round: RoundRequest,
  base: PromptBase,
  stable: StablePart,
  definitions: readonly ToolDefinition[],
  policy: ReturnType<typeof policyRecord>,
): { prompt: CompiledPrompt; tools: readonly ToolDefinition[] } {
  const tools = round.withoutTools ? NO_TOOLS : definitions;
  const prompt = compileRound(stable, {
    ...base.inputs,
    ...(round.retryInstruction === undefined ? {} : { retryInstruction: round.retryInstruction }),
    ...(round.continuation ? { continuation: true } : {}),
    ...(round.finalAnswer ? { finalAnswer: true } : {}),
  }, {
    trigger: round.round === 1 ? "startup" : "round",
    round: round.round,
    tools,
    policy,
    history: { decision: "full" },
    hooks: [],
    diagnostics: base.diagnostics,
  });
  return { prompt, tools };
}

const NO_TOOLS: readonly ToolDefinition[] = [];

function limitsOf(config: Config): AgentDeps["limits"] {
  const { values } = config.invocation;
  const flags = {
    maxTurns: values["max-turns"],
    timeoutMs: values["timeout"],
    maxTokensTotal: values["max-tokens-total"],
    maxCostUsd: values["max-cost"],
  };
  const given = Object.entries(flags).filter(([, value]) => typeof value === "number");
  return { identicalCalls: 3, ...config.settings.limits, ...Object.fromEntries(given) };
}

function thinkingOf(config: Config): AgentDeps["thinking"] {
  const flag = config.invocation.values["thinking"];
  // The option table allows nothing but the levels.
  return typeof flag === "string" ? flag as AgentDeps["thinking"] : config.settings.thinking ?? "off";
}
