import { assertEquals } from "@std/assert";
import { Backlog } from "../../../src/cli/output/backlog.ts";
import type { AgentEvent } from "../../../src/core/event.ts";

const partial = { type: "tool_execution_update" } as AgentEvent;
const nested = { type: "subagent_event", agentId: "a1", event: partial } as AgentEvent;
const whole = { type: "tool_execution_end" } as AgentEvent;

Deno.test("a backlog lets the run wait above 64 events, and omits partial output until the reader is back", async () => {
  const backlog = new Backlog();
  const { signal } = new AbortController();
  for (let count = 0; count < 64; count++) backlog.add();
  await backlog.ready(signal);
  assertEquals([partial, nested, whole].map((event) => backlog.takes(event)), [true, true, true]);
  backlog.add();
  let isReady = false;
  const ready = backlog.ready(signal).then(() => isReady = true);
  assertEquals([partial, nested, whole].map((event) => backlog.takes(event)), [false, false, true]);
  await Promise.resolve();
  assertEquals(isReady, false);
  backlog.remove();
  await ready;
});

Deno.test("an abort ends the wait for a reader", async () => {
  const backlog = new Backlog();
  const controller = new AbortController();
  for (let count = 0; count < 65; count++) backlog.add();
  const ready = backlog.ready(controller.signal);
  controller.abort();
  await ready;
});
