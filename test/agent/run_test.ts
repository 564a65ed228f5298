import { assertEquals, assertStringIncludes } from "@std/assert";
import type { AgentEvent } from "../../src/core/event.ts";
import { textResult } from "../../src/core/tool.ts";
import { runPrompt } from "../../src/agent/run.ts";
import { call, contentOf, endingOf, outline, talk, user, world } from "./world.ts";

const echo = (value: string) => textResult(`did ${value}`);

Deno.test("runPrompt() shows a run in pi's order, the compiled prompt before each request R233 R235 R238", async () => {
  const it = world([
    { text: "I look", chunkChars: 3, calls: [call("a", "1"), call("a", "2")] },
    { text: "Done" },
  ], {
    tools: {
      a: (value, _signal, update) => {
        update(textResult("half"));
        return echo(value);
      },
    },
  });
  const events = await it.run("go");
  assertEquals(outline(events), [
    "agent_start",
    "turn_start 1",
    "message_start user",
    "message_end user",
    "prompt_compiled 1",
    "message_start assistant",
    "update I l",
    "update ook",
    ...['{"v', "alu", 'e":', '"1"', "}", '{"v', "alu", 'e":', '"2"', "}"].map((piece) => `update ${piece}`),
    "message_end assistant",
    ...["call_1_1", "call_1_2"].flatMap((id) => [
      `tool_execution_start ${id}`,
      `tool_execution_update ${id}`,
      `tool_execution_end ${id}`,
      "message_start toolResult",
      "message_end toolResult",
    ]),
    "turn_end",
    "turn_start 2",
    "prompt_compiled 2",
    "message_start assistant",
    "update Done",
    "message_end assistant",
    "turn_end",
    "agent_end done",
    "agent_settled",
  ]);
  assertEquals(talk(it.session.messages), [
    "user: go",
    "assistant: I look[call_1_1][call_1_2]",
    "call_1_1: did 1",
    "call_1_2: did 2",
    "assistant: Done",
  ]);
  const end = events.at(-2);
  assertEquals(end?.type === "agent_end" && end.messages, it.session.messages);
});

Deno.test("runPrompt() sends system prompt, conversation and active tools, and nothing else R58 R236 R237", async () => {
  const it = world([{ calls: [call("a", "1")] }, { text: "ok" }], { tools: { a: echo }, cacheKey: "k", maxTokens: 9 });
  await it.run("go");
  const tools = [{ name: "a", description: "a", parameters: { type: "object" } }];
  const rest = {
    system: { stable: "You help.", dynamic: "" },
    tools,
    thinking: "off",
    cacheKey: "k",
    maxTokens: 9,
  } as const;
  assertEquals<unknown>(it.requests, [
    { ...rest, messages: it.session.messages.slice(0, 1) },
    { ...rest, messages: it.session.messages.slice(0, 3) },
  ]);
});

Deno.test("runPrompt() runs the calls of a reply one after the other R234", async () => {
  const log: string[] = [];
  const it = world([{ calls: [call("a", "1"), call("a", "2")] }, { text: "ok" }], {
    readOnly: ["a"],
    tools: {
      a: async (value) => {
        log.push(`begin ${value}`);
        await new Promise((resolve) => setTimeout(resolve, 5));
        log.push(`end ${value}`);
        return echo(value);
      },
    },
  });
  await it.run("go");
  assertEquals(log, ["begin 1", "end 1", "begin 2", "end 2"]);
});

Deno.test("runPrompt() in parallel mode runs neighbouring readers together and keeps the order of results", async () => {
  const log: string[] = [];
  const wait: Record<string, number> = { "1": 300, "2": 5, "3": 1, "4": 1 };
  const tool = async (value: string) => {
    log.push(`begin ${value}`);
    await new Promise((resolve) => setTimeout(resolve, wait[value]));
    log.push(`end ${value}`);
    return echo(value);
  };
  const it = world([
    { calls: [call("look", "1"), call("look", "2"), call("change", "3"), call("look", "4")] },
    { text: "ok" },
  ], { toolExecution: "parallel", readOnly: ["look"], tools: { look: tool, change: tool } });
  const events = await it.run("go");
  assertEquals(log, ["begin 1", "begin 2", "end 2", "end 1", "begin 3", "end 3", "begin 4", "end 4"]);
  assertEquals(talk(it.session.messages).slice(2, 6), [1, 2, 3, 4].map((n) => `call_1_${n}: did ${n}`));
  assertEquals(outline(events).filter((line) => line.startsWith("tool_execution_end")), [
    "tool_execution_end call_1_2",
    "tool_execution_end call_1_1",
    "tool_execution_end call_1_3",
    "tool_execution_end call_1_4",
  ]);
});

Deno.test("runPrompt() drops what a tool shows after its end", async () => {
  let late = () => {};
  const it = world([{ calls: [call("look", "quick"), call("look", "slow")] }, { text: "ok" }], {
    toolExecution: "parallel",
    readOnly: ["look"],
    tools: {
      look: async (value, _signal, update) => {
        if (value === "quick") late = () => update(textResult("late"));
        else await new Promise((resolve) => setTimeout(resolve, 10));
        return echo(value);
      },
    },
  });
  const events = await it.run("go", (event) => event.type === "tool_execution_end" ? late() : undefined);
  assertEquals(outline(events).filter((line) => line.startsWith("tool_")), [
    "tool_execution_start call_1_1",
    "tool_execution_start call_1_2",
    "tool_execution_end call_1_1",
    "tool_execution_end call_1_2",
  ]);
});

Deno.test("runPrompt() answers what cannot run and goes on R211 R240 R241 R242", async () => {
  const it = world([
    { calls: [call("b", "1"), { name: "a", args: { value: 5 } }, call("bad", "x"), call("a", "2")] },
    { text: "ok" },
  ], {
    tools: {
      a: echo,
      bad: () => {
        throw new Error("no luck");
      },
    },
  });
  const events = await it.run("go");
  assertEquals(talk(it.session.messages).slice(2), [
    'call_1_1!: Tool "b" is not active, nothing was run. Active tools: a, bad',
    'call_1_2!: Validation failed for tool "a", nothing was run:\n- value: must be of type string, not number\n' +
    "Correct these fields and call again",
    "call_1_3!: no luck",
    "call_1_4: did 2",
    "assistant: ok",
  ]);
  assertEquals(it.ran, ["bad x", "a 2"]);
  const ends = events.filter((event) => event.type === "tool_execution_end").map((event) => event.isError);
  assertEquals(ends, [true, false]);
});

Deno.test("runPrompt() never runs a refused call and tells the model why", async () => {
  const refused = { name: "a", args: {}, refused: { reason: "The arguments are not complete", raw: '{"value":"' } };
  const it = world([{ calls: [refused] }, { text: "ok" }], { tools: { a: echo } });
  await it.run("go");
  assertEquals(it.ran, []);
  assertEquals(talk(it.session.messages)[2], "call_1_1!: The arguments are not complete");
});

Deno.test("runPrompt() runs no call of a reply that was cut, and asks for smaller arguments", async () => {
  const it = world([{ text: "w", calls: [call("a", "1")], stopReason: "length" }, { text: "ok" }], {
    tools: { a: echo },
  });
  assertEquals(endingOf(await it.run("go")), "done");
  assertEquals(it.ran, []);
  assertStringIncludes(talk(it.session.messages)[2] ?? "", "call_1_1!: Not run: the reply was cut at the output limit");
  assertStringIncludes(talk(it.session.messages)[2] ?? "", "smaller arguments");
});

Deno.test("runPrompt() ends with the provider's failure and keeps the conversation as it was", async () => {
  const it = world([{ text: "half", error: { status: 401, message: "wrong key" } }]);
  const events = await it.run("go");
  assertEquals(outline(events).slice(4), [
    "prompt_compiled 1",
    "message_start assistant",
    "update half",
    "message_end assistant",
    "turn_end",
    "agent_end error",
    "agent_settled",
  ]);
  assertEquals(talk(it.session.messages), ["user: go"]);
  const end = events.find((event) => event.type === "agent_end");
  const last = end?.messages.at(-1);
  assertEquals(last?.role === "assistant" && last.failure?.kind, "auth");
});

Deno.test("runPrompt() keeps what runs: one value is executed, stored and sent", async () => {
  const it = world([{ calls: [{ name: "a", args: { value: "1", extra: true } }] }, { text: "ok" }], {
    tools: { a: echo },
  });
  const events = await it.run("go");
  const shown = events.filter((event) => event.type === "tool_execution_start").map((event) => event.args);
  assertEquals(shown, [{ value: "1" }]);
  const kept = contentOf(it.session.messages[1]);
  assertEquals(kept, [{ type: "toolCall", id: "call_1_1", name: "a", arguments: { value: "1" } }]);
  assertEquals(it.requests[1]?.messages[1]?.content, kept);
});

Deno.test("runPrompt() lets hooks forbid calls and change results, and a failing check forbids R212", async () => {
  const log: string[] = [];
  const it = world([{ calls: [call("a", "1"), call("a", "2"), call("a", "3")] }, { text: "ok" }], {
    tools: { a: (value) => (log.push(`run ${value}`), echo(value)) },
    beforeToolCall: ({ args: { value } }) => {
      log.push(`before ${value}`);
      if (value === "3") return Promise.reject(new Error("hook broke"));
      return Promise.resolve(value === "2" ? "not you" : undefined);
    },
    afterToolResult: (_call, result) => {
      log.push("after");
      return result.isError ? Promise.reject(new Error("x")) : Promise.resolve(textResult("changed"));
    },
  });
  await it.run("go", (event) => event.type.startsWith("tool_") ? log.push(event.type) : undefined);
  assertEquals(log.slice(0, 5), ["before 1", "tool_execution_start", "run 1", "tool_execution_end", "after"]);
  assertEquals(talk(it.session.messages).slice(2, 5), [
    "call_1_1: changed",
    "call_1_2!: not you",
    "call_1_3!: Blocked: the check of this call failed (hook broke)",
  ]);
  assertEquals(it.ran, ["a 1"]);
});

Deno.test("runPrompt() withholds a result that its check could not look at", async () => {
  const it = world([{ calls: [call("a", "1")] }, { text: "ok" }], {
    tools: { a: echo },
    afterToolResult: () => Promise.reject(new Error("reviewer broke")),
  });
  await it.run("go");
  assertEquals(
    talk(it.session.messages)[2],
    "call_1_1!: The result is withheld: the check of it failed (reviewer broke). The call itself has run",
  );
});

Deno.test("runPrompt() hands the conversation to transformContext and lets it alone", async () => {
  const it = world([{ text: "ok", expect: ["replaced"] }], {
    transformContext: (messages) => Promise.resolve([user(`replaced ${messages.length}`)]),
  });
  assertEquals(endingOf(await it.run("go")), "done");
  assertEquals(talk(it.session.messages), ["user: go", "assistant: ok"]);
  assertEquals(it.requests[0]?.messages, [user("replaced 1")]);
});

Deno.test("runPrompt() repairs a conversation that could not be sent, and says so", async () => {
  const first = world([{ calls: [call("a", "1")] }, { text: "ok" }], { tools: { a: echo } });
  await first.run("go");
  const it = world([{ text: "on" }], { messages: first.session.messages.slice(0, 2) });
  const events = await it.run("again");
  assertEquals(outline(events).slice(0, 3), ["agent_start", "notice", "turn_start 1"]);
  assertEquals(talk(it.session.messages).map((line) => line.slice(0, 20)), [
    "user: go",
    "assistant: [call_1_1",
    "call_1_1!: No result",
    "user: again",
    "assistant: on",
  ]);
});

Deno.test("runPrompt() reports an empty reply and does not keep it", async () => {
  const it = world([{ text: " " }]);
  const notices = (await it.run("go")).filter((event) => event.type === "notice");
  assertEquals(notices, [{ type: "notice", level: "warning", message: "The model gave an empty reply" }]);
  assertEquals(talk(it.session.messages), ["user: go"]);
});

Deno.test("runPrompt() leaves a sound conversation when the reader walks away R244", async () => {
  for (let stopAfter = 1; stopAfter < 24; stopAfter++) {
    let toolSignal: AbortSignal | undefined;
    const it = world([{ text: "t", calls: [call("a", "1"), call("a", "2")] }, { text: "ok" }], {
      tools: { a: (value, signal) => (toolSignal = signal, echo(value)) },
    });
    const events: AgentEvent[] = [];
    for await (const event of runPrompt([user("go")], it.session, it.deps, new AbortController().signal)) {
      if (events.push(event) === stopAfter) break;
    }
    const calls = it.session.messages.filter((message) =>
      message.role === "assistant" && message.stopReason === "toolUse"
    );
    const results = it.session.messages.filter((message) => message.role === "toolResult");
    assertEquals(results.length, calls.length * 2, `after ${stopAfter} events`);
    if (toolSignal) assertEquals(toolSignal.aborted, true);
  }
});
