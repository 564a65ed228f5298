import { assertEquals } from "@std/assert";
import { errorResult, textResult } from "../../src/core/tool.ts";
import { createMeter } from "../../src/agent/limits.ts";
import { createQueues } from "../../src/agent/queues.ts";
import { call, endingOf, talk, user, world } from "./world.ts";

const tools = { a: (value: string) => value === "bad" ? errorResult("no") : textResult(`did ${value}`) };
const again = (value: string, usage?: object) => ({ calls: [call("a", value)], ...(usage ? { usage } : {}) });

Deno.test("runPrompt() makes one last request without tools when the turns are used up R245 R246 R254", async () => {
  const it = world([again("1"), again("2"), { text: "so far", expect: ["FINAL"] }], { tools, limits: { maxTurns: 2 } });
  assertEquals(endingOf(await it.run("go")), "limit maxTurns");
  assertEquals(it.rounds, [{ round: 1 }, { round: 2 }, { round: 3, finalAnswer: true, withoutTools: true }]);
  assertEquals(it.requests.map((request) => request.tools.length), [1, 1, 0]);
  assertEquals(talk(it.session.messages).at(-1), "assistant: so far");
});

Deno.test("runPrompt() ends as done when the last allowed turn is the answer", async () => {
  const it = world([again("1"), { text: "ok" }], { tools, limits: { maxTurns: 2 } });
  assertEquals(endingOf(await it.run("go")), "done");
});

Deno.test("runPrompt() answers calls of the last reply without running them", async () => {
  const it = world([again("1"), again("2")], { tools, limits: { maxTurns: 1 } });
  assertEquals(endingOf(await it.run("go")), "limit maxTurns");
  assertEquals(it.ran, ["a 1"]);
  assertEquals(
    talk(it.session.messages).at(-1),
    "call_2_1!: Not run: a limit of this run is reached and no more calls are made",
  );
});

Deno.test("runPrompt() ends at a limit without another request when the answer is there and messages wait", async () => {
  const queues = createQueues();
  queues.followUp(user("more"));
  const it = world([{ text: "ok" }], { queues, limits: { maxTurns: 1 } });
  assertEquals(endingOf(await it.run("go")), "limit maxTurns");
  assertEquals(queues.texts().followUp, ["more"]);
});

Deno.test("runPrompt() leaves steering in its queue when the last request is due", async () => {
  const queues = createQueues();
  const it = world([again("1"), { text: "so far" }], { tools, queues, limits: { maxTurns: 1 } });
  await it.run("go", (event) => event.type === "turn_end" && it.rounds.length === 1 && queues.steer(user("late")));
  assertEquals(talk(it.session.messages).at(-1), "assistant: so far");
  assertEquals(queues.texts().steering, ["late"]);
});

Deno.test("runPrompt() concludes when the tokens are used up R247", async () => {
  const usage = { input: 40, output: 10 };
  const it = world([again("1", usage), again("2", usage), { text: "so far" }], {
    tools,
    limits: { maxTokensTotal: 99 },
  });
  assertEquals(endingOf(await it.run("go")), "limit maxTokensTotal");
  assertEquals(it.requests.length, 3);
});

Deno.test("runPrompt() sends nothing more when the money is used up", async () => {
  const usage = { input: 1, output: 1, costUsd: 0.3 };
  const it = world([again("1", usage), again("2", usage), { text: "so far" }], { tools, limits: { maxCostUsd: 0.5 } });
  assertEquals(endingOf(await it.run("go")), "limit maxCostUsd");
  assertEquals(it.requests.length, 2);
  // The results of the last calls are kept, so that the conversation can go on.
  assertEquals(it.session.messages.at(-1)?.role, "toolResult");
});

Deno.test("runPrompt() concludes after three equal successful calls in a row R249", async () => {
  const it = world([again("x"), again("x"), again("x"), { text: "so far" }], { tools });
  assertEquals(endingOf(await it.run("go")), "limit identicalCalls");
  const varied = world([again("x"), again("x"), again("y"), again("x"), { text: "ok" }], { tools });
  assertEquals(endingOf(await varied.run("go")), "done");
  const failing = world([again("bad"), again("bad"), again("bad"), { text: "ok" }], { tools });
  assertEquals(endingOf(await failing.run("go")), "done");
});

Deno.test("runPrompt() ends a run whose time is up, during a tool and during a reply R248", async () => {
  const limits = { timeoutMs: 500 };
  const inTool = world([again("1")], {
    limits,
    tools: {
      a: (_value, signal) =>
        new Promise((resolve) => signal.addEventListener("abort", () => resolve(errorResult("stopped")))),
    },
  });
  assertEquals(endingOf(await inTool.run("go")), "limit timeoutMs");
  assertEquals(talk(inTool.session.messages).at(-1), "call_1_1!: stopped");
  const inReply = world([{ text: "late", delayMs: 60_000 }], { limits });
  assertEquals(endingOf(await inReply.run("go")), "limit timeoutMs");
  assertEquals(talk(inReply.session.messages), ["user: go"]);
});

Deno.test("createMeter() sees equal arguments whatever the order of their keys, and a failure breaks the row", () => {
  const meter = createMeter({ identicalCalls: 2 });
  meter.addCall("a", { x: 1, y: [{ p: 1, q: 2 }] }, true);
  assertEquals(meter.reached(), undefined);
  meter.addCall("a", { x: 1, y: [{ p: 1, q: 2 }] }, false);
  meter.addCall("a", { x: 1, y: [{ p: 1, q: 2 }] }, true);
  assertEquals(meter.reached(), undefined);
  meter.addCall("a", { y: [{ q: 2, p: 1 }], x: 1 }, true);
  assertEquals(meter.reached(), "identicalCalls");
  meter.addCall("b", { y: [{ q: 2, p: 1 }], x: 1 }, true);
  assertEquals(meter.reached(), undefined);
});

Deno.test("createMeter() without limits is never full", () => {
  const meter = createMeter({});
  for (let i = 0; i < 1000; i++) {
    meter.addTurn();
    meter.addUsage({ input: 1e9, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 1e9 });
  }
  assertEquals(meter.reached(), undefined);
});
