import { assertEquals, assertLess } from "@std/assert";
import fc from "fast-check";
import type { AgentEvent } from "../../src/core/event.ts";
import { errorResult, textResult } from "../../src/core/tool.ts";
import { createQueues } from "../../src/agent/queues.ts";
import { runPrompt } from "../../src/agent/run.ts";
import { problemsOf } from "../../src/agent/transcript.ts";
import { call, contentOf, endingOf, outline, talk, user, world } from "./world.ts";

Deno.test("runPrompt() aborted in a reply keeps the text so far and ends well R243", async () => {
  const stop = new AbortController();
  const it = world([{ text: "one two", chunkChars: 4, calls: [call("a", "1")] }]);
  const events = await it.run("go", (event) => event.type === "message_update" && stop.abort(), stop.signal);
  assertEquals(outline(events).slice(-5), [
    "update one ",
    "message_end assistant",
    "turn_end",
    "agent_end aborted",
    "agent_settled",
  ]);
  const last = events.at(-1);
  assertEquals([last?.type, last?.type === "agent_settled" && last.aborted], ["agent_settled", true]);
  assertEquals(talk(it.session.messages), ["user: go", "assistant: one  (aborted)"]);
});

Deno.test("runPrompt() aborted before anything was said adds no reply and makes no request", async () => {
  const it = world([{ text: "never" }]);
  const events = await it.run("go", undefined, AbortSignal.abort());
  assertEquals([endingOf(events), it.requests.length], ["aborted", 0]);
  assertEquals(talk(it.session.messages), ["user: go"]);
});

Deno.test("runPrompt() aborted in a tool ends its work and answers every call R244", async () => {
  const stop = new AbortController();
  const it = world([{ calls: [call("a", "1"), call("a", "2")] }], {
    tools: {
      a: (_value, signal) => {
        setTimeout(() => stop.abort(), 5);
        return new Promise((resolve) => signal.addEventListener("abort", () => resolve(errorResult("ended"))));
      },
    },
  });
  assertEquals(endingOf(await it.run("go", undefined, stop.signal)), "aborted");
  assertEquals(talk(it.session.messages).slice(2), [
    "call_1_1!: ended",
    "call_1_2!: Not run: the run was stopped before this call",
  ]);
});

Deno.test("runPrompt() goes on without a tool that ignores an abort, and drops its late updates", async () => {
  const stop = new AbortController();
  let late: (() => void) | undefined;
  const it = world([{ calls: [call("a", "1")] }], {
    abortGraceMs: 10,
    tools: {
      a: (_value, _signal, update) => {
        late = () => update(textResult("late"));
        stop.abort();
        return new Promise(() => {});
      },
    },
  });
  const started = performance.now();
  const events = await it.run("go", (event) => event.type === "tool_execution_end" && late?.(), stop.signal);
  assertLess(performance.now() - started, 20_000);
  assertEquals(talk(it.session.messages).at(-1)?.startsWith("call_1_1!: The run was stopped and the tool did"), true);
  assertEquals(events.some((event) => event.type === "tool_execution_update"), false);
});

Deno.test("runPrompt() aborted in a reply's second call runs none of its calls", async () => {
  const stop = new AbortController();
  const it = world([{ thinking: "hm", text: "t", calls: [call("a", "1"), call("a", "2")] }], {
    tools: { a: (value) => textResult(value) },
  });
  const events = await it.run("go", (event) => {
    const update = event.type === "message_update" ? event.assistantMessageEvent : undefined;
    if (update?.type === "toolcall_delta" && update.index === 1) stop.abort();
  }, stop.signal);
  assertEquals([endingOf(events), it.ran], ["aborted", []]);
  assertEquals(talk(it.session.messages), ["user: go", "assistant: t (aborted)"]);
  assertEquals(contentOf(it.session.messages[1]), [{ type: "text", text: "t" }]);
});

Deno.test("runPrompt() starts no tool when the reader of its start event stops the run", async () => {
  const stop = new AbortController();
  const it = world([{ calls: [call("a", "1")] }], { tools: { a: (value) => textResult(value) } });
  await it.run("go", (event) => event.type === "tool_execution_start" && stop.abort(), stop.signal);
  assertEquals(it.ran, []);
  assertEquals(talk(it.session.messages).at(-1), "call_1_1!: Not run: the run was stopped before this call");
});

Deno.test("runPrompt() takes an adapter's error after an abort for the abort, and repeats nothing", async () => {
  const stop = new AbortController();
  const failure = { kind: "network", message: "connection closed", retry: true } as const;
  const it = world([], {
    provider: {
      name: "p",
      model: "m",
      async *stream() {
        await Promise.resolve();
        stop.abort();
        const from = { role: "assistant", provider: "p", model: "m", timestamp: 0 } as const;
        yield { type: "end", message: { ...from, content: [], stopReason: "error", failure } };
      },
    },
  });
  const events = await it.run("go", undefined, stop.signal);
  assertEquals([endingOf(events), it.requests.length], ["aborted", 1]);
  const reply = events.find((event) => event.type === "turn_end")?.message;
  assertEquals([reply?.stopReason, reply?.failure], ["aborted", undefined]);
  assertEquals(events.some((event) => event.type === "auto_retry_start"), false);
});

Deno.test("runPrompt() aborted while it waits for a retry ends at once", async () => {
  const stop = new AbortController();
  const it = world([{ error: { status: 503, message: "busy" } }, { text: "never" }], {
    retry: { maxRetries: 3, baseDelayMs: 60_000, maxDelayMs: 60_000 },
  });
  const events = await it.run("go", (event) => {
    if (event.type === "auto_retry_start") setTimeout(() => stop.abort(), 5);
  }, stop.signal);
  assertEquals(outline(events).slice(5), [
    "auto_retry_start",
    "auto_retry_end",
    "message_start assistant",
    "message_end assistant",
    "turn_end",
    "agent_end aborted",
    "agent_settled",
  ]);
  assertEquals([talk(it.session.messages), it.requests.length], [["user: go"], 1]);
});

Deno.test("runPrompt() can go on after an abort", async () => {
  const stop = new AbortController();
  const it = world([{ text: "half" }, { text: "whole", expect: ["half", "again"] }]);
  await it.run("go", (event) => event.type === "message_update" && stop.abort(), stop.signal);
  assertEquals(endingOf(await it.run("again")), "done");
});

/** Any line that a cassette may hold, and what tools do besides answering. */
const someCall = fc.record({
  name: fc.constantFrom("look", "change", "fail", "gone"),
  args: fc.constantFrom<object>({ value: "1" }, { value: "2" }, { value: 3 }, {}),
  // Servers are known to give the same id in every reply.
  id: fc.constantFrom("c1", "c2", "c3"),
});
const someLine = fc.record({
  text: fc.constantFrom("", "a", "some text that takes two pieces"),
  thinking: fc.constantFrom("", "hm"),
  calls: fc.array(someCall, { maxLength: 4 }),
  stopReason: fc.constantFrom<"stop" | "length">("stop", "stop", "length"),
  error: fc.option(fc.record({ status: fc.constantFrom(400, 413, 429, 503), message: fc.constant("e") }), {
    nil: undefined,
    freq: 5,
  }),
});
const someRun = fc.record({
  lines: fc.array(someLine, { minLength: 1, maxLength: 6 }),
  abortAt: fc.option(fc.nat(60)),
  leaveAt: fc.option(fc.nat(60), { freq: 3 }),
  steerAt: fc.option(fc.nat(40)),
  followUpAt: fc.option(fc.nat(40)),
  toolExecution: fc.constantFrom<"sequential" | "parallel">("sequential", "parallel"),
  maxTurns: fc.option(fc.integer({ min: 1, max: 4 })),
});

Deno.test("runPrompt() leaves a conversation that can be sent, whatever the model says and whenever it is stopped R244 R270", async () => {
  await fc.assert(
    fc.asyncProperty(someRun, async ({ lines, abortAt, leaveAt, steerAt, followUpAt, toolExecution, maxTurns }) => {
      const queues = createQueues();
      const stop = new AbortController();
      const it = world(lines, {
        queues,
        toolExecution,
        readOnly: ["look"],
        retry: { maxRetries: 1, baseDelayMs: 0, maxDelayMs: 0 },
        limits: maxTurns === null ? {} : { maxTurns },
        tools: {
          look: (value, _signal, update) => (update(textResult("…")), textResult(value)),
          change: async (value) => (await Promise.resolve(), textResult(value)),
          fail: () => Promise.reject(new Error("failed")),
        },
      });
      for (let prompt = 1; prompt <= 2; prompt++) {
        const events: AgentEvent[] = [];
        for await (const event of runPrompt([user("go")], it.session, it.deps, stop.signal)) {
          const count = events.push(event);
          if (count === abortAt) stop.abort();
          if (count === steerAt) queues.steer(user("steer"));
          if (count === followUpAt) queues.followUp(user("follow"));
          if (count === leaveAt) break;
        }
        assertEquals(problemsOf(it.session.messages), []);
        if (events.at(-1)?.type === "agent_settled") assertPaired(events);
      }
      for (const { messages } of it.requests) {
        assertEquals(problemsOf(messages.filter((message) => message.role !== "system")), []);
        assertEquals(messages.at(-1)?.role === "assistant", false);
      }
    }),
    { numRuns: 300 },
  );
});

/** Whatever begins ends: messages, tool executions, turns. */
function assertPaired(events: readonly AgentEvent[]): void {
  const count = (type: AgentEvent["type"]) => events.filter((event) => event.type === type).length;
  assertEquals(count("message_start"), count("message_end"));
  assertEquals(count("tool_execution_start"), count("tool_execution_end"));
  assertEquals(count("turn_start"), count("turn_end"));
  assertEquals(count("agent_end"), 1);
}
