import { assertEquals } from "@std/assert";
import { EVENTS, isEvent, ruleOf } from "../../../src/hooks/events/decisions.ts";

Deno.test("the event table holds the hooks that are promised R226", () => {
  const promised = [
    ...["input", "before_agent_start", "context", "before_provider_request", "tool_call", "tool_result"],
    ...["tool_execution_start", "tool_execution_end", "turn_start", "turn_end", "agent_end", "model_select"],
    ...["session_before_compact", "session_compact", "session_before_switch", "session_before_fork"],
    "resources_discover",
  ];
  assertEquals(promised.filter((name) => !isEvent(name)), []);
  assertEquals([isEvent("toString"), isEvent("__proto__")], [false, false]);
});

Deno.test("only what guards something fails closed R227", () => {
  const closed = [...EVENTS].filter(([, rule]) => rule.failure !== "report").map((
    [name, { failure }],
  ) => [name, failure]);
  assertEquals(closed, [["tool_call", "refuse"], ["tool_result", "withhold"], ["user_bash", "refuse"]]);
  assertEquals(ruleOf("turn_end"), { combining: "tell", failure: "report", limitMs: 1000 });
});

Deno.test("events of pi that are left out (0016) are none", () => {
  const left = ["project_trust", "agent_before_settle", "provider_stream_event", "cache_warming_decision"];
  assertEquals([...left, "context_with_system"].filter(isEvent), []);
});
