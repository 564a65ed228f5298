// A run of the real loop against the real replay provider, with tools that only live in these tests.
import * as z from "zod/mini";
import type { AgentEvent } from "../../src/core/event.ts";
import { type AgentMessage, isPlain, type RequestMessage, textOf, type UserMessage } from "../../src/core/message.ts";
import type { CompiledPrompt } from "../../src/core/compiled_prompt.ts";
import type { Provider, ProviderRequest } from "../../src/core/provider.ts";
import { textResult, type Tool } from "../../src/core/tool.ts";
import type { ToolResult } from "../../src/core/tool_result.ts";
import type { AgentDeps, RoundRequest, SessionState } from "../../src/agent/deps.ts";
import { createQueues } from "../../src/agent/queues.ts";
import { runPrompt } from "../../src/agent/run.ts";
import { sleep } from "../../src/core/support/sleep.ts";
import { openReplayText } from "../../src/provider/replay/replay.ts";

export function user(text: string): UserMessage {
  return { role: "user", content: text, timestamp: 0 };
}

/** What a test's tool does with its one argument. */
export type Doing = (
  value: string,
  signal: AbortSignal,
  update: (partial: ToolResult) => void,
) => Promise<ToolResult> | ToolResult;

export interface World {
  readonly deps: AgentDeps;
  readonly session: SessionState;
  readonly rounds: readonly RoundRequest[];
  readonly requests: readonly ProviderRequest[];
  /** Names and arguments of the calls that ran, in order. */
  readonly ran: readonly string[];
  /** Runs one prompt to its end; `onEvent` sees each event before the next one is asked for. */
  run(text: string, onEvent?: (event: AgentEvent) => void, signal?: AbortSignal): Promise<AgentEvent[]>;
}

export interface WorldOptions extends Partial<Omit<AgentDeps, "tools" | "provider" | "compile" | "runTool">> {
  readonly tools?: Readonly<Record<string, Doing>>;
  readonly readOnly?: readonly string[];
  readonly messages?: readonly AgentMessage[];
  /** Instead of the replay provider. */
  readonly provider?: Provider;
}

/** A world whose model says the given cassette lines; tools take `{value: string}`. */
export function world(lines: readonly object[], options: WorldOptions = {}): World {
  const { tools: doings = {}, readOnly = [], messages = [], provider: given, ...rest } = options;
  const cassette = lines.map((line) => JSON.stringify(line)).join("\n");
  const inner = given ?? openReplayText(cassette, "test.jsonl", () => 0);
  const requests: ProviderRequest[] = [];
  const rounds: RoundRequest[] = [];
  const ran: string[] = [];
  const args = z.object({ value: z.string() });
  const tools = new Map<string, Tool>(
    Object.keys(doings).map((name) => [name, {
      name,
      description: name,
      // The loop only hands over what this very schema let through.
      args: () => args,
      promptSnippet: name,
      needs: [],
      readOnly: readOnly.includes(name),
      place: "runner",
      run: () => Promise.resolve(textResult("never called here")),
    }]),
  );
  const session: SessionState = { messages: [...messages] };
  const deps: AgentDeps = {
    provider: {
      ...inner,
      stream(request, signal) {
        requests.push(structuredClone(request));
        return inner.stream(request, signal);
      },
    },
    compile(round) {
      rounds.push(round);
      return {
        prompt: compiled(round),
        tools: round.withoutTools
          ? []
          : [...tools.keys()].map((name) => ({ name, description: name, parameters: { type: "object" } })),
      };
    },
    tools,
    async runTool(tool, { value }, _id, { signal, onUpdate }) {
      ran.push(`${tool.name} ${value}`);
      return await doings[tool.name]!(String(value), signal, onUpdate);
    },
    limits: {},
    retry: { maxRetries: 3, baseDelayMs: 1, maxDelayMs: 1000 },
    thinking: "off",
    toolExecution: "sequential",
    queues: createQueues(),
    now: () => 0,
    random: () => 0,
    sleep,
    ...rest,
  };
  return {
    deps,
    session,
    rounds,
    requests,
    ran,
    async run(text, onEvent, signal = new AbortController().signal) {
      const events: AgentEvent[] = [];
      for await (const event of runPrompt([user(text)], session, deps, signal)) {
        events.push(event);
        onEvent?.(event);
      }
      return events;
    },
  };
}

function compiled({ round, retryInstruction = "", continuation, finalAnswer }: RoundRequest): CompiledPrompt {
  const dynamic = [retryInstruction, continuation ? "CONTINUE" : "", finalAnswer ? "FINAL" : ""].filter(Boolean);
  const full = ["You help.", ...dynamic].join("\n\n");
  return {
    stable: "You help.",
    dynamic: dynamic.join("\n\n"),
    full,
    manifest: {
      version: 1,
      compiler: "test",
      profile: "full",
      trigger: "round",
      round,
      sections: [],
      fingerprints: { stable: "", dynamic: "", full: "" },
      tools: { names: [], fingerprint: "" },
      diagnostics: [],
      history: { decision: "full" },
      policy: {},
      hooks: [],
    },
  };
}

/** A call of a test tool as a cassette writes it. */
export function call(name: string, value: string): object {
  return { name, args: { value } };
}

/** Events as one word each, with what tells them apart. */
export function outline(events: readonly AgentEvent[]): string[] {
  return events.map((event) => {
    switch (event.type) {
      case "message_start":
      case "message_end": {
        const isVoid = event.type === "message_end" && event.discarded ? " discarded" : "";
        return `${event.type} ${event.message.role}${isVoid}`;
      }
      case "message_update":
        return `update ${event.assistantMessageEvent.delta}`;
      case "tool_execution_start":
      case "tool_execution_update":
      case "tool_execution_end":
        return `${event.type} ${event.toolCallId}`;
      case "turn_start":
        return `turn_start ${event.turn}`;
      case "prompt_compiled":
        return `prompt_compiled ${event.manifest.round}`;
      case "agent_end":
        return ["agent_end", event.ending, event.limit ?? ""].join(" ").trim();
      default:
        return event.type;
    }
  });
}

/** How a run ended, for example `limit maxTurns`. */
export function endingOf(events: readonly AgentEvent[]): string {
  return outline(events).find((line) => line.startsWith("agent_end"))?.slice("agent_end ".length) ?? "none";
}

/** A conversation in short: who said what; results carry `!` when they are errors. */
export function talk(messages: readonly (AgentMessage | RequestMessage)[]): string[] {
  return messages.map((message) => {
    if (message.role === "system") return `system: ${message.content}`;
    if (!isPlain(message)) return message.role;
    const text = textOf(message.content);
    if (message.role === "user") return `user: ${text}`;
    if (message.role === "toolResult") return `${message.toolCallId}${message.isError ? "!" : ""}: ${text}`;
    const calls = message.content.filter((part) => part.type === "toolCall").map((part) => `[${part.id}]`).join("");
    return `assistant: ${text}${calls}${message.stopReason === "aborted" ? " (aborted)" : ""}`;
  });
}

/** The content of a message, where its kind has one. */
export function contentOf(message: AgentMessage | undefined): unknown {
  return message && "content" in message ? message.content : undefined;
}
