import { assertEquals, assertStringIncludes } from "@std/assert";
import type { AgentEvent } from "../../src/core/event.ts";
import { type Provider, systemText } from "../../src/core/provider.ts";
import { errorResult, textResult } from "../../src/core/tool.ts";
import { call, endingOf, outline, talk, user, world } from "./world.ts";

const busy = { error: { status: 503, message: "busy" } };
const retriesOf = (events: readonly AgentEvent[]) =>
  events.filter((event) => event.type === "auto_retry_start" || event.type === "auto_retry_end");

Deno.test("takeReply() repeats what failed for a moment, visibly, and keeps the failed attempts out", async () => {
  const it = world([busy, { error: { status: 429, message: "slow", retryAfterMs: 7 } }, { text: "ok" }]);
  const events = await it.run("go");
  assertEquals(retriesOf(events), [
    { type: "auto_retry_start", attempt: 1, maxAttempts: 3, delayMs: 1, errorMessage: "busy" },
    { type: "auto_retry_start", attempt: 2, maxAttempts: 3, delayMs: 7, errorMessage: "slow" },
    { type: "auto_retry_end", success: true, attempt: 2 },
  ]);
  assertEquals(outline(events).slice(4), [
    "prompt_compiled 1",
    "auto_retry_start",
    "prompt_compiled 1",
    "auto_retry_start",
    "prompt_compiled 1",
    "message_start assistant",
    "update ok",
    "auto_retry_end",
    "message_end assistant",
    "turn_end",
    "agent_end done",
    "agent_settled",
  ]);
  assertEquals(it.requests.map(({ messages }) => messages.length), [1, 1, 1]);
  assertEquals(talk(it.session.messages), ["user: go", "assistant: ok"]);
});

Deno.test("takeReply() gives up after maxRetries and says with what", async () => {
  const it = world([busy, busy, busy, busy, { text: "never" }]);
  const events = await it.run("go");
  assertEquals(retriesOf(events).at(-1), { type: "auto_retry_end", success: false, attempt: 3, finalError: "busy" });
  assertEquals([endingOf(events), it.requests.length], ["error", 4]);
});

const UNREPEATED = [
  { error: { status: 400, message: "bad" }, why: "it is no failure of the moment" },
  { error: { status: 429, message: "quota", retry: false }, why: "the adapter says so" },
  { error: { status: 429, message: "later", retryAfterMs: 60_000 }, why: "the server wants too long a wait" },
  { error: { status: 413, message: "too long" }, why: "the conversation does not fit" },
];
for (const { error, why } of UNREPEATED) {
  Deno.test(`takeReply() does not repeat when ${why}`, async () => {
    const it = world([{ error }, { text: "never" }]);
    const events = await it.run("go");
    assertEquals([endingOf(events), it.requests.length, retriesOf(events)], ["error", 1, []]);
  });
}

Deno.test("takeReply() marks shown text of a repeated attempt as discarded", async () => {
  const it = world([{ text: "hal", error: { message: "cut" } }, { text: "whole" }]);
  assertEquals(outline(await it.run("go")).slice(5, -3), [
    "message_start assistant",
    "update hal",
    "message_end assistant discarded",
    "auto_retry_start",
    "prompt_compiled 1",
    "message_start assistant",
    "update whole",
    "auto_retry_end",
    "message_end assistant",
  ]);
  assertEquals(talk(it.session.messages), ["user: go", "assistant: whole"]);
});

Deno.test("takeReply() continues a reply that was cut and joins the texts in one message R255", async () => {
  const it = world([
    { text: "one ", stopReason: "length", usage: { input: 5, output: 2, costUsd: 1 } },
    { text: "two ", stopReason: "length", usage: { input: 7, output: 2, costUsd: 2 } },
    { text: "three", calls: [call("a", "1")], usage: { input: 9, output: 3, costUsd: 4 } },
    { text: "ok" },
  ], { tools: { a: () => textResult("did") } });
  const events = await it.run("go");
  assertEquals(outline(events).slice(4, 11), [
    "prompt_compiled 1",
    "message_start assistant",
    "update one ",
    "prompt_compiled 2",
    "update two ",
    "prompt_compiled 3",
    "update three",
  ]);
  assertEquals(it.requests.map(({ system }) => system.dynamic.includes("CONTINUE")), [false, true, true, false]);
  assertEquals(talk(it.requests[2]?.messages ?? []), ["user: go", "assistant: one two ", "user: Continue."]);
  assertEquals(talk(it.session.messages), [
    "user: go",
    "assistant: one two three[call_3_1]",
    "call_3_1: did",
    "assistant: ok",
  ]);
  const joined = it.session.messages[1];
  assertEquals(joined?.role === "assistant" && joined.usage, {
    input: 9,
    output: 3,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 12,
    cost: { input: 0, output: 0, cacheRead: 0, total: 7 },
  });
});

Deno.test("takeReply() continues a bounded number of times, then ends as a limit R256", async () => {
  const cut = { text: "x", stopReason: "length" };
  const it = world([cut, cut, cut, cut, cut]);
  assertEquals(endingOf(await it.run("go")), "limit output");
  assertEquals(talk(it.session.messages), ["user: go", "assistant: xxxx"]);
  const none = world([cut, cut], { limits: { maxContinuations: 0 } });
  assertEquals([endingOf(await none.run("go")), none.requests.length], ["limit output", 1]);
});

Deno.test("takeReply() shows the earlier text again when a continuation is discarded and repeated", async () => {
  const it = world([
    { text: "one ", stopReason: "length" },
    { text: "tw", error: { message: "cut" } },
    { text: "two" },
  ]);
  assertEquals(outline(await it.run("go")).slice(7, -3), [
    "prompt_compiled 2",
    "update tw",
    "message_end assistant discarded",
    "auto_retry_start",
    "prompt_compiled 2",
    "message_start assistant",
    "update one ",
    "update two",
    "auto_retry_end",
    "message_end assistant",
  ]);
  assertEquals(talk(it.session.messages), ["user: go", "assistant: one two"]);
});

Deno.test("takeReply() asks once more after each time the request was shortened, five times at most R299", async () => {
  const full = { error: { status: 413, message: "too long" } };
  let shortened = 0;
  const it = world([full, full, full, full, full, full, { text: "never" }], {
    onOverflow: async function* () {
      await Promise.resolve();
      shortened++;
      yield { type: "notice", level: "info", message: "shortened" };
      return true;
    },
  });
  assertEquals(endingOf(await it.run("go")), "error");
  assertEquals([shortened, it.requests.length], [5, 6]);
  const cured = world([full, { text: "ok" }], {
    onOverflow: async function* () {
      yield* [];
      await Promise.resolve();
      return true;
    },
  });
  assertEquals(endingOf(await cured.run("go")), "done");
});

Deno.test("takeReply() tells the next round about a failed call, and no more after a success R251 R252 R258", async () => {
  const it = world([
    { calls: [call("a", "bad")] },
    { calls: [call("a", "good")] },
    { text: "ok" },
  ], { tools: { a: (value) => value === "bad" ? errorResult("E42: no") : textResult("did") } });
  const events = await it.run("go");
  const [first, second, third] = it.requests.map(({ system }) => systemText(system));
  assertEquals([first, third], ["You help.", "You help."]);
  assertStringIncludes(second ?? "", "Tool: a\nError: E42: no\nAttempt: 1 of 3");
  const rounds = events.filter((event) => event.type === "prompt_compiled").map(({ manifest }) => manifest.round);
  assertEquals(rounds, [1, 2, 3]);
});

Deno.test("takeReply() passes on an adapter's notices", async () => {
  const it = world([], { provider: provider([{ type: "notice", message: "repaired a call" }]) });
  const notice = (await it.run("go")).find((event) => event.type === "notice");
  assertEquals(notice, { type: "notice", level: "warning", message: "repaired a call" });
});

Deno.test("takeReply() survives an adapter that throws or ends without an end", async () => {
  const silent = world([], { provider: provider([]), retry: { maxRetries: 1, baseDelayMs: 1, maxDelayMs: 1 } });
  const events = await silent.run("go");
  assertEquals([endingOf(events), silent.requests.length], ["error", 2]);
  const broken = world([], { provider: provider([], new Error("bug")) });
  assertEquals(endingOf(await broken.run("go")), "error");
  assertEquals(talk(broken.session.messages), ["user: go"]);
});

/** An adapter that breaks the contract: no `end`, and perhaps an exception. */
function provider(events: readonly { type: "notice"; message: string }[], error?: Error): Provider {
  return {
    name: "broken",
    model: "m",
    async *stream() {
      yield* events;
      await Promise.resolve();
      if (error) throw error;
    },
  };
}

Deno.test("takeReply() waits for a named wait, is interrupted in it, and says when to try again where it is too long", async () => {
  const slow = { error: { status: 429, message: "slow.", retryAfterMs: 120_000 } };
  const retry = { maxRetries: 3, baseDelayMs: 1, maxDelayMs: 5, maxWaitMs: 300_000, patienceMs: 200_000 };
  const waits: number[] = [];
  const patient = world([slow, slow, { text: "never" }], {
    retry,
    sleep: (ms) => (waits.push(ms), Promise.resolve()),
    now: () => new Date(2026, 10, 23, 14, 0).getTime(),
  });
  const events = await patient.run("go");
  assertEquals([waits, patient.requests.length, endingOf(events)], [[120_000], 2, "error"]);
  assertEquals(retriesOf(events).at(-1), {
    type: "auto_retry_end",
    success: false,
    attempt: 1,
    finalError: "slow. Try again at 14:02, in 2 min.",
  });

  const stop = new AbortController();
  const stopped = world([slow, { text: "never" }], { retry });
  const ended = await stopped.run("go", ({ type }) => type === "auto_retry_start" && stop.abort(), stop.signal);
  assertEquals([endingOf(ended), stopped.requests.length], ["aborted", 1]);
});

const REFUSALS = [
  { name: "an overload, after its attempts", errors: [busy, busy, busy, busy], falls: true },
  {
    name: "a quota that is spent, at once",
    errors: [{ error: { status: 429, message: "quota", retry: false } }],
    falls: true,
  },
  {
    name: "a long named wait, at once",
    errors: [{ error: { status: 529, message: "in an hour", retryAfterMs: 3.6e6 } }],
    falls: true,
  },
  { name: "a bad request", errors: [{ error: { status: 400, message: "bad" } }], falls: false },
  { name: "a key that is refused", errors: [{ error: { status: 401, message: "no" } }], falls: false },
];
for (const { name, errors, falls } of REFUSALS) {
  Deno.test(`takeReply() ${falls ? "goes" : "does not go"} over to the next model for ${name}`, async () => {
    const names = ["a", "b"];
    const replies: Provider = (world([...errors, { text: "from b" }])).deps.provider;
    const it = world([], {
      provider: replies,
      retry: { maxRetries: 3, baseDelayMs: 1, maxDelayMs: 5, maxWaitMs: 1e9 },
      sleep: () => Promise.resolve(),
      fallback: {
        isThere: () => names.length > 1,
        async *take({ message }) {
          names.shift();
          yield { type: "notice", level: "warning", message: `${message} b` };
          return true;
        },
      },
    });
    const events = await it.run("go");
    assertEquals([endingOf(events), names.length], falls ? ["done", 1] : ["error", 2]);
    assertEquals(it.requests.length, errors.length + (falls ? 1 : 0));
    if (falls) assertEquals(talk(it.session.messages), ["user: go", "assistant: from b"]);
  });
}

Deno.test("takeReply() binds an answer that goes back to its schema, and not the rest of one that was cut", async () => {
  const answerSchema = { type: "object" };
  let judged = 0;
  const bound = world([{ text: "free" }, { text: '{"a":', stopReason: "length" }, { text: "1}" }], {
    answerSchema,
    // deno-lint-ignore require-yield -- it says nothing
    judge: async function* () {
      return judged++ === 0 ? { kind: "again", messages: [user("wrong")], isBound: true } : { kind: "holds" };
    },
  });
  await bound.run("go");
  assertEquals(bound.requests.map((request) => request.answerSchema), [undefined, answerSchema, undefined]);
  assertEquals(talk(bound.session.messages).at(-1), 'assistant: {"a":1}');
});
