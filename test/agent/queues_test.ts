import { assertEquals } from "@std/assert";
import { textResult } from "../../src/core/tool.ts";
import { createQueues } from "../../src/agent/queues.ts";
import { call, endingOf, outline, talk, user, world } from "./world.ts";

const three = { calls: [call("a", "1"), call("a", "2"), call("a", "3")] };

Deno.test("createQueues() delivers each kind in its order, one at a time or all R271", () => {
  const queues = createQueues({ steering: "one-at-a-time", followUp: "all" });
  for (const text of ["1", "2"]) queues.steer(user(`s${text}`)), queues.followUp(user(`f${text}`));
  assertEquals(queues.texts(), { steering: ["s1", "s2"], followUp: ["f1", "f2"] });
  assertEquals(talk(queues.takeSteering()), ["user: s1"]);
  assertEquals(talk(queues.takeFollowUp()), ["user: f1", "user: f2"]);
  queues.followUp(user("f3"));
  assertEquals([queues.hasSteering(), queues.isEmpty()], [true, false]);
  assertEquals(talk(queues.clear()), ["user: s2", "user: f3"]);
  assertEquals([queues.hasSteering(), queues.isEmpty(), queues.takeFollowUp()], [false, true, []]);
});

Deno.test("runPrompt() skips the calls that are left when steered during tool 1 of 3 R261 R262 R263 R270", async () => {
  const queues = createQueues();
  const it = world([three, { text: "ok", expect: ["turn left"] }], {
    queues,
    tools: {
      a: (value) => {
        queues.steer(user("turn left"));
        return textResult(`did ${value}`);
      },
    },
  });
  const events = await it.run("go");
  assertEquals(it.ran, ["a 1"]);
  assertEquals(talk(it.session.messages), [
    "user: go",
    "assistant: [call_1_1][call_1_2][call_1_3]",
    "call_1_1: did 1",
    "call_1_2!: Skipped due to queued user message",
    "call_1_3!: Skipped due to queued user message",
    "user: turn left",
    "assistant: ok",
  ]);
  const update = events.find((event) => event.type === "queue_update");
  assertEquals(update, { type: "queue_update", steering: [], followUp: [] });
  const starts = outline(events).filter((line) => line.startsWith("tool_execution_start"));
  assertEquals(starts, ["tool_execution_start call_1_1"]);
  // Skipped calls are no failure of the model's: the next round says nothing of them.
  assertEquals(it.rounds[1], { round: 2 });
});

Deno.test("runPrompt() looks for steering after every call R263", async () => {
  const queues = createQueues();
  const it = world([three, { text: "ok" }], { queues, tools: { a: (value) => textResult(value) } });
  await it.run("go", (event) => {
    if (event.type === "tool_execution_end" && event.toolCallId === "call_1_2") queues.steer(user("stop"));
  });
  assertEquals(it.ran, ["a 1", "a 2"]);
});

Deno.test("runPrompt() runs the first call even when steering came during the reply R263", async () => {
  const queues = createQueues();
  const it = world([three, { text: "ok" }], { queues, tools: { a: (value) => textResult(value) } });
  await it.run("go", (event) => {
    if (event.type === "message_start" && event.message.role === "assistant" && it.rounds.length === 1) {
      queues.steer(user("stop"));
    }
  });
  assertEquals(it.ran, ["a 1"]);
});

Deno.test("runPrompt() starts a new turn for steering that came during the last reply R264 R269", async () => {
  const queues = createQueues();
  const it = world([{ text: "one" }, { text: "two" }], { queues });
  await it.run("go", (event) => {
    if (event.type === "message_update" && event.assistantMessageEvent.delta === "one") queues.steer(user("and?"));
  });
  assertEquals(talk(it.session.messages), ["user: go", "assistant: one", "user: and?", "assistant: two"]);
});

Deno.test("runPrompt() lets all calls run before a follow-up, which starts a turn R266 R267 R268", async () => {
  const queues = createQueues();
  const it = world([three, { text: "one" }, { text: "two" }], {
    queues,
    tools: {
      a: (value) => {
        if (value === "1") queues.followUp(user("then this"));
        return textResult(value);
      },
    },
  });
  const events = await it.run("go");
  assertEquals(it.ran, ["a 1", "a 2", "a 3"]);
  assertEquals(talk(it.session.messages).slice(5), ["assistant: one", "user: then this", "assistant: two"]);
  assertEquals(outline(events).slice(-2), ["agent_end done", "agent_settled"]);
});

Deno.test("runPrompt() delivers steering before follow-ups, one a turn R265 R271", async () => {
  const queues = createQueues();
  for (const text of ["1", "2"]) queues.followUp(user(`f${text}`));
  const it = world([1, 2, 3, 4, 5].map((n) => ({ text: `t${n}` })), { queues });
  await it.run("go", (event) => {
    if (event.type === "turn_end" && it.rounds.length === 1) queues.steer(user("s1")), queues.steer(user("s2"));
  });
  assertEquals(talk(it.session.messages).filter((line) => line.startsWith("user")), [
    "user: go",
    "user: s1",
    "user: s2",
    "user: f1",
    "user: f2",
  ]);
});

Deno.test("runPrompt() takes steering that waited before the run into the first turn", async () => {
  const queues = createQueues();
  queues.steer(user("early"));
  const it = world([{ text: "ok" }], { queues });
  assertEquals(endingOf(await it.run("go")), "done");
  assertEquals(talk(it.session.messages), ["user: go", "user: early", "assistant: ok"]);
});
