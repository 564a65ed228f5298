import type { AgentEvent } from "../../core/event.ts";

/** What a client is shown of sub-agents: it knows the calls of the conversation alone. */
export interface SubAgentCalls {
  /** An event about a sub-agent as progress of the call that it stands for; undefined for one that shows nothing. */
  readonly progress: (event: AgentEvent) => AgentEvent | undefined;
  /** The call of the conversation in which a sub-agent works. */
  readonly callOf: (agentId: string) => string | undefined;
}

/** Lines that are shown of one call: the newest. */
const MOST_LINES = 12;

/** No sub-agents yet. */
export function subAgentCalls(): SubAgentCalls {
  const calls = new Map<string, { readonly toolCallId: string; lines: readonly string[] }>();
  const callOf = (agentId: string) => calls.get(agentId.split(".")[0] ?? "");
  const add = (agentId: string, line: string): AgentEvent | undefined => {
    const call = callOf(agentId);
    if (call === undefined) return undefined;
    call.lines = [...call.lines, `${agentId} ${line}`].slice(-MOST_LINES);
    const partialResult = { content: [{ type: "text" as const, text: call.lines.join("\n") }] };
    return { type: "tool_execution_update", toolCallId: call.toolCallId, toolName: "task", partialResult };
  };
  return {
    callOf: (agentId) => callOf(agentId)?.toolCallId,
    progress(event) {
      switch (event.type) {
        case "subagent_start": {
          const { agentId, toolCallId, description, scope: { write } } = event;
          if (!agentId.includes(".")) calls.set(agentId, { toolCallId, lines: [] });
          return add(agentId, `${description}: ${write.length === 0 ? "reads" : `writes ${write.join(" ")}`}`);
        }
        case "subagent_event": {
          const { agentId, event: inner } = event;
          if (inner.type !== "tool_execution_start") return undefined;
          const { command, path } = inner.args;
          const about = typeof command === "string" ? command : typeof path === "string" ? path : "";
          return add(agentId, `${inner.toolName} ${about}`.split("\n")[0]?.trim() ?? inner.toolName);
        }
        case "subagent_end":
          // The last one of a call comes with its result.
          return event.agentId.includes(".") ? add(event.agentId, event.ending) : undefined;
        default:
          return undefined;
      }
    },
  };
}
