import { assertEquals } from "@std/assert";
import { subAgentCalls } from "../../../src/cli/acp/sub_agents.ts";
import type { AgentEvent } from "../../../src/core/event.ts";

const scope = { write: ["/ws/a"], run: true, net: [] };
const start = (agentId: string, toolCallId: string): AgentEvent => ({
  type: "subagent_start",
  ...{ agentId, toolCallId, description: `part ${agentId}`, scope, sessionId: "s" },
});
const call = (agentId: string, args: Record<string, string>): AgentEvent => ({
  type: "subagent_event",
  agentId,
  event: { type: "tool_execution_start", toolCallId: "inner", toolName: "bash", args },
});

Deno.test("subAgentCalls() shows what sub-agents do as progress of the call that a client knows", () => {
  const calls = subAgentCalls();
  const shown = (event: AgentEvent): unknown => {
    const update = calls.progress(event);
    return update?.type === "tool_execution_update" ? [update.toolCallId, update.partialResult.content] : update;
  };
  const text = (...lines: string[]) => ["outer", [{ type: "text", text: lines.join("\n") }]];
  const first = "a1 part a1: writes /ws/a";
  assertEquals(shown(start("a1", "outer")), text(first));
  assertEquals(shown(call("a1", { command: "make\nmore" })), text(first, "a1 bash make"));
  assertEquals(shown(start("a1.1", "inner")), text(first, "a1 bash make", "a1.1 part a1.1: writes /ws/a"));
  assertEquals([calls.callOf("a1"), calls.callOf("a1.1"), calls.callOf("a2")], ["outer", "outer", undefined]);
  assertEquals(shown(call("a2", {})), undefined);
  assertEquals(shown({ type: "agent_start" }), undefined);
});
