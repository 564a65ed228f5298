import type { AgentEvent } from "../core/event.ts";
import { type AgentMessage, type AssistantMessage, textOf, type Usage } from "../core/message.ts";
import { isObject, type JsonObject } from "../core/json.ts";
import type { Attributes, Span } from "./otlp.ts";

/** What a session says of itself at the start of a run. */
export interface SessionFacts {
  readonly sessionId: string;
  /** What confines the tools: `kernel+` and so on. */
  readonly sandbox: string;
  readonly model: { readonly provider: string; readonly id: string };
}

/** What spans are made with. */
export interface SpanSource {
  readonly facts: () => SessionFacts;
  /** Milliseconds since the epoch, with fractions. */
  readonly now: () => number;
  /** So many random bytes in lower-case hex. */
  readonly randomHex: (bytes: number) => string;
  readonly capturesContent: boolean;
  readonly parent?: { readonly traceId: string; readonly spanId: string };
  /** Called with each span when it has ended. */
  readonly ended: (span: Span) => void;
}

/** Makes spans of a session's events. */
export interface SpanMaker {
  readonly take: (event: AgentEvent) => void;
  /** Of the run at hand, else of the last one. */
  readonly traceId: () => string | undefined;
  /** Ends what is open: the session closes. */
  readonly close: () => void;
}

interface OpenSpan {
  readonly span: Omit<Span, "endMs" | "attributes">;
  readonly attributes: Attributes;
}

/** One agent, or one sub-agent, and what is open of it. */
interface Agent {
  run: OpenSpan | undefined;
  chat: OpenSpan | undefined;
  readonly tools: Map<string, OpenSpan>;
  /** What was said since the last request, for its span. */
  said: AgentMessage[];
  provider: string;
}

/** Names of OpenTelemetry's conventions for generative AI (development status, 2025). */
const OPERATION = "gen_ai.operation.name";
const PROVIDER = "gen_ai.provider.name";
const FINISH = { toolUse: "tool_calls", stop: "stop", length: "length", error: "error", aborted: "aborted" } as const;

/** No spans yet. */
export function spanMaker(source: SpanSource): SpanMaker {
  const { facts, now, randomHex, capturesContent, parent } = source;
  const newAgent = (): Agent => ({ run: undefined, chat: undefined, tools: new Map(), said: [], provider: "" });
  const main = newAgent();
  const others = new Map<string, Agent>();
  let traceId = parent?.traceId;

  const open = (name: string, attributes: Attributes, above: string | undefined, isClient = false): OpenSpan => ({
    span: {
      traceId: traceId ?? "",
      spanId: randomHex(8),
      ...(above === undefined ? {} : { parentSpanId: above }),
      ...{ name, isClient, startMs: now() },
    },
    attributes,
  });
  const end = (
    opened: OpenSpan | undefined,
    attributes: Attributes = {},
    error?: { readonly type: string; readonly text: string },
  ): void => {
    if (!opened) return;
    source.ended({
      ...opened.span,
      endMs: now(),
      attributes: { ...opened.attributes, ...attributes, ...(error ? { "error.type": error.type } : {}) },
      ...(error ? { error: error.text } : {}),
    });
  };

  const openRun = (agent: Agent, name: string, above: string | undefined, more: Attributes): void => {
    const { sessionId, sandbox, model } = facts();
    agent.provider = model.provider;
    agent.run = open(`invoke_agent ${name}`, {
      [OPERATION]: "invoke_agent",
      [PROVIDER]: model.provider,
      "gen_ai.agent.name": name,
      "gen_ai.request.model": model.id,
      "gen_ai.conversation.id": sessionId,
      "sandpiper.sandbox": sandbox,
      ...more,
    }, above);
  };
  const endRun = (
    agent: Agent,
    attributes: Attributes,
    error?: { readonly type: string; readonly text: string },
  ): void => {
    const cut = { type: "aborted", text: "the run ended first" };
    for (const tool of agent.tools.values()) end(tool, {}, cut);
    agent.tools.clear();
    end(agent.chat, {}, cut);
    agent.chat = undefined;
    end(agent.run, attributes, error);
    agent.run = undefined;
  };

  const openChat = (agent: Agent, fingerprint: string | undefined): void => {
    const { model } = facts();
    const input = capturesContent && agent.said.length > 0 ? messagesText(agent.said) : undefined;
    agent.said = [];
    agent.chat = open(
      "chat",
      {
        [OPERATION]: "chat",
        [PROVIDER]: model.provider,
        "gen_ai.request.model": model.id,
        "gen_ai.conversation.id": facts().sessionId,
        "sandpiper.prompt.stable": fingerprint,
        "gen_ai.input.messages": input,
      },
      agent.run?.span.spanId,
      true,
    );
  };
  const endChat = (agent: Agent, message: AssistantMessage): void => {
    if (!agent.chat) openChat(agent, undefined); // a retry, of which nothing tells the start
    const { chat } = agent;
    if (!chat) return;
    agent.chat = undefined;
    const { provider, model, usage, stopReason, failure, errorMessage } = message;
    const failed = stopReason === "error" || stopReason === "aborted";
    end(
      { ...chat, span: { ...chat.span, name: `chat ${model}` } },
      {
        [PROVIDER]: provider,
        "gen_ai.request.model": model,
        "gen_ai.response.finish_reasons": [FINISH[stopReason]],
        "gen_ai.output.messages": capturesContent ? messagesText([message]) : undefined,
        ...usageOf(usage),
      },
      failed
        ? {
          type: failure?.kind ?? stopReason,
          text: capturesContent ? errorMessage ?? stopReason : failure?.kind ?? stopReason,
        }
        : undefined,
    );
  };

  const takeOf = (agent: Agent, event: AgentEvent): void => {
    switch (event.type) {
      case "prompt_compiled":
        return openChat(agent, event.manifest.fingerprints.stable);
      case "message_end":
        if (event.message.role === "assistant") return endChat(agent, event.message);
        return capturesContent ? void agent.said.push(event.message) : undefined;
      case "tool_execution_start": {
        const { toolName, toolCallId, args } = event;
        return void agent.tools.set(
          toolCallId,
          open(`execute_tool ${toolName}`, {
            [OPERATION]: "execute_tool",
            "gen_ai.tool.name": toolName,
            "gen_ai.tool.call.id": toolCallId,
            "gen_ai.tool.type": "function",
            "sandpiper.sandbox": facts().sandbox,
            "gen_ai.tool.call.arguments": capturesContent ? JSON.stringify(args) : undefined,
          }, agent.run?.span.spanId),
        );
      }
      case "tool_execution_end": {
        const { toolCallId, result, isError, waitedMs } = event;
        const denied = denialsOf(result.details);
        const tool = agent.tools.get(toolCallId);
        agent.tools.delete(toolCallId);
        const type = denied.length > 0 ? "denied" : "tool_error";
        return end(tool, {
          "sandpiper.denied": denied.length > 0 ? denied.map(({ kind }) => kind) : undefined,
          // A path or a host is a part of what was asked for.
          "sandpiper.denied.targets": capturesContent && denied.length > 0
            ? denied.map(({ target }) => target)
            : undefined,
          "sandpiper.waited_ms": waitedMs,
          "gen_ai.tool.call.result": capturesContent ? textOf(result.content) : undefined,
        }, isError ? { type, text: type } : undefined);
      }
      case "agent_end": {
        const { ending, limit } = event;
        const failed = ending === "done" ? undefined : { type: limit ?? ending, text: ending };
        if (event.willRetry) return;
        return endRun(agent, { "sandpiper.ending": ending, "sandpiper.limit": limit }, failed);
      }
    }
  };

  return {
    traceId: () => traceId,
    take(event) {
      switch (event.type) {
        case "agent_start":
          if (main.run) return; // a run that goes on after a retry
          traceId = parent?.traceId ?? randomHex(16);
          return openRun(main, "sandpiper", parent?.spanId, {});
        case "subagent_start": {
          const agent = newAgent();
          others.set(event.agentId, agent);
          const caller = event.agentId.includes(".") ? others.get(event.agentId.replace(/\.[^.]*$/, "")) : main;
          const above = caller?.tools.get(event.toolCallId) ?? caller?.run;
          return openRun(agent, event.agent ?? "task", above?.span.spanId, {
            "gen_ai.conversation.id": event.sessionId,
            "gen_ai.agent.id": event.agentId,
            // Its requests say who answers it.
            "gen_ai.request.model": undefined,
          });
        }
        case "subagent_event": {
          const agent = others.get(event.agentId);
          // It ends with `subagent_end`.
          return agent && event.event.type !== "agent_end" ? takeOf(agent, event.event) : undefined;
        }
        case "subagent_end": {
          const agent = others.get(event.agentId);
          others.delete(event.agentId);
          const { ending, limit, totals } = event;
          const failed = ending === "done" ? undefined : { type: limit ?? ending, text: ending };
          if (agent) endRun(agent, { "sandpiper.ending": ending, ...usageOf(totals) }, failed);
          return;
        }
        default:
          return takeOf(main, event);
      }
    },
    close() {
      for (const agent of [...others.values(), main]) {
        endRun(agent, { "sandpiper.ending": "aborted" }, { type: "aborted", text: "the session was closed" });
      }
    },
  };
}

/** Tokens as the conventions count them: what a cache held is a part of the input. */
export function usageOf(usage: Pick<Usage, "input" | "output" | "cacheRead" | "cacheWrite"> | undefined): Attributes {
  if (!usage) return {};
  const { input, output, cacheRead, cacheWrite } = usage;
  return {
    "gen_ai.usage.input_tokens": input + cacheRead + cacheWrite,
    "gen_ai.usage.output_tokens": output,
    "gen_ai.usage.cache_read.input_tokens": cacheRead,
    "gen_ai.usage.cache_creation.input_tokens": cacheWrite,
  };
}

/** What of a call was denied, as results have it in their details. */
function denialsOf(details: unknown): readonly { readonly kind: string; readonly target: string }[] {
  if (!isObject(details)) return [];
  const list = Array.isArray(details["denials"]) && details["denials"].length > 0
    ? details["denials"]
    : [details["denial"]];
  return list.flatMap((claim) =>
    isObject(claim) && typeof claim["kind"] === "string" && typeof claim["target"] === "string"
      ? [{ kind: claim["kind"], target: claim["target"] }]
      : []
  );
}

/** Messages in the shape of the conventions: a role, and parts. */
function messagesText(messages: readonly AgentMessage[]): string {
  return JSON.stringify(messages.flatMap((message): JsonObject[] => {
    switch (message.role) {
      case "user":
        return [{ role: "user", parts: [{ type: "text", content: textOf(message.content) }] }];
      case "assistant":
        return [{
          role: "assistant",
          parts: message.content.map((part) =>
            part.type === "toolCall"
              ? { type: "tool_call", id: part.id, name: part.name, arguments: part.arguments }
              : part.type === "text"
              ? { type: "text", content: part.text }
              : { type: "reasoning", content: part.thinking }
          ),
          finish_reason: FINISH[message.stopReason],
        }];
      case "toolResult":
        return [{
          role: "tool",
          parts: [{ type: "tool_call_response", id: message.toolCallId, response: textOf(message.content) }],
        }];
      default:
        return [];
    }
  }));
}
