import { assertEquals } from "@std/assert";
import { prewarmCalls } from "../../src/engine/events.ts";
import type { AgentEvent, AssistantDelta } from "../../src/core/event.ts";

Deno.test("prewarmCalls() tells each call's tool once, as soon as it has a name", () => {
  const told: string[] = [];
  const update = (assistantMessageEvent: AssistantDelta): AgentEvent => ({
    type: "message_update",
    assistantMessageEvent,
  });
  const events: readonly AgentEvent[] = [
    { type: "agent_start" },
    update({ type: "text_delta", delta: "bash" }),
    update({ type: "toolcall_delta", index: 0, name: "bash", delta: "" }),
    update({ type: "toolcall_delta", index: 0, delta: '{"command":' }),
    update({ type: "toolcall_delta", index: 1, name: "read", delta: "{}" }),
    { type: "tool_execution_start", toolCallId: "a", toolName: "bash", args: {} },
  ];
  for (const event of events) prewarmCalls(event, (tool) => told.push(tool));
  assertEquals(told, ["bash", "read"]);
});
