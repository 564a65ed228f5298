import { assert, assertEquals, assertLess, assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../../src/core/json.ts";
import type { AgentMessage } from "../../src/core/message.ts";
import type { ProviderRequest } from "../../src/core/provider.ts";
import { compactCheckpoint, type CompactionOutcome, type CompactOptions } from "../../src/history/compact.ts";
import { type CompactionInput, type CompactionPlan, planCompaction } from "../../src/history/plan.ts";
import { asking, call, chain, reply, result, session, usage, user, words } from "./conversation.ts";

const NEVER = new AbortController().signal;
const LIMITS = { contextWindow: 100_000, reserveTokens: 16_384 };
const HEADINGS =
  "## Goal|## Constraints & Preferences|## Progress|### Done|### In Progress|### Blocked|## Key Decisions|" +
  "## Next Steps|## Critical Context";

/** Two turns; the second is longer than 100 tokens. */
const TALK: readonly AgentMessage[] = [
  user("first task"),
  reply("", [call("1", "read", { path: "a.ts" })]),
  result("1", "content of a"),
  reply("first done"),
  user(`second task ${words(60)}`),
  reply(`second done ${words(60)}`, [], { usage: usage(5000) }),
];

async function plan(input: Partial<CompactionInput>, messages = TALK): Promise<CompactionPlan> {
  const planned = await planCompaction({
    ...session(messages),
    reason: "threshold",
    keepTokens: 100,
    signal: NEVER,
    ...input,
  });
  if (planned.type !== "plan") throw new Error(planned.message);
  return planned.plan;
}

async function compact(
  planned: CompactionPlan,
  lines: readonly JsonObject[],
  more: Partial<CompactOptions> = {},
): Promise<CompactionOutcome> {
  return await compactCheckpoint(planned, { ...asking(lines), ...LIMITS, ...more });
}

/** The same provider; `requests` gets what was sent, `running` how many requests were open when each began. */
function watched(options: ReturnType<typeof asking>) {
  const requests: ProviderRequest[] = [];
  const running: number[] = [];
  let open = 0;
  const { provider } = options;
  return {
    requests,
    running,
    ...options,
    provider: {
      ...provider,
      async *stream(request: ProviderRequest, signal: AbortSignal) {
        requests.push(request);
        running.push(++open);
        try {
          yield* provider.stream(request, signal);
        } finally {
          open--;
        }
      },
    },
  };
}

Deno.test("compactCheckpoint() replaces whole turns by the model's summary and lists their files R278 R279 R280 R283", async () => {
  const planned = await plan({});
  assertEquals(planned, {
    firstKeptEntryId: "e4",
    history: TALK.slice(0, 4),
    turnPrefix: [],
    appendix: { readFiles: ["a.ts"], modifiedFiles: [], skills: [] },
    tokensBefore: 5000,
    kept: TALK.slice(4),
  });
  const expect = ["first task", 'read(path=\\"a.ts\\")', "content of a", ...HEADINGS.split("|")];
  assertEquals(await compact(planned, [{ expect, text: "## Goal\nG", usage: { input: 7, output: 3 } }]), {
    type: "compacted",
    result: {
      summary: "## Goal\nG\n\n<read-files>\na.ts\n</read-files>",
      firstKeptEntryId: "e4",
      tokensBefore: 5000,
      details: { readFiles: ["a.ts"], modifiedFiles: [] },
    },
    usage: { input: 7, output: 3, cacheRead: 0, cacheWrite: 0, totalTokens: 10 },
  });
});

Deno.test("compactCheckpoint() sends headings in order, no kept message, no previous summary, no tools, the focus R278 R280 R297", async () => {
  const deps = watched(asking([{ text: "s" }]));
  await compactCheckpoint(await plan({}), { ...deps, ...LIMITS, focus: "the API of a.ts" });
  const [request] = deps.requests;
  const text = String(request?.messages[0]?.content);
  const headings = text.split("\n").filter((line) => line.startsWith("#"));
  assertEquals(headings.join("|"), HEADINGS);
  assert(!text.includes("second"));
  assert(!text.includes("previous-summary"));
  assertStringIncludes(text, "the API of a.ts");
  assertEquals([request?.tools, request?.thinking, request?.maxTokens], [[], "off", 13_107]);
});

Deno.test("compactCheckpoint() updates the previous summary, from where its kept part began, lists carried on R281 R282 R286", async () => {
  const [compacted] = chain([{
    type: "compaction",
    summary: "## Goal\nOLD\n\n<read-files>\nold.ts\n</read-files>",
    firstKeptEntryId: "e3",
    tokensBefore: 9000,
    details: { readFiles: ["old.ts", "b.ts"], modifiedFiles: ["m.ts"] },
  }], "c");
  const kept = [
    reply("kept from before"),
    user("then"),
    reply("", [call("1", "edit", { path: "b.ts" })]),
    result("1", "ok"),
    user("now"),
    reply(words(200)),
  ];
  const entries = chain(kept.map((message) => ({ type: "message", message })));
  const summary: AgentMessage = { role: "compactionSummary", summary: "x", tokensBefore: 9000, timestamp: 1 };
  if (!compacted) throw new Error("no entry");
  const planned = await plan({
    messages: [summary, ...kept],
    entryIds: [compacted.id, ...entries.map(({ id }) => id)],
    path: [...entries.slice(0, 1), compacted, ...entries.slice(1)],
    keepTokens: 205,
  });
  assertEquals([planned.previousSummary, planned.history, planned.firstKeptEntryId], [
    "## Goal\nOLD",
    kept.slice(0, 4),
    "e4",
  ]);
  const deps = watched(asking([{
    text: "## Goal\nNEW",
    expect: [
      "<previous-summary>\n## Goal\nOLD\n</previous-summary>",
      "kept from before",
      "preserve",
      "add new progress",
      "move finished items",
      "to Done",
      "update Next Steps",
    ],
  }]));
  const outcome = await compactCheckpoint(planned, { ...deps, ...LIMITS });
  assertEquals(
    outcome.type === "compacted" && outcome.result.summary,
    "## Goal\nNEW\n\n<read-files>\nold.ts\n</read-files>\n\n<modified-files>\nb.ts\nm.ts\n</modified-files>",
  );
  assert(!String(deps.requests[0]?.messages[0]?.content).includes("read-files"));
});

const SPLIT: readonly AgentMessage[] = [
  user("old task"),
  reply("old done"),
  user("long task"),
  reply("", [call("1", "read", { path: "a" })]),
  result("1", "A"),
  reply(`kept ${words(100)}`),
];

Deno.test("compactCheckpoint() summarises a split turn with two requests at the same time and merges them R288 R289 R290", async () => {
  const planned = await plan({ keepTokens: 50 }, SPLIT);
  assertEquals([planned.history, planned.turnPrefix, planned.firstKeptEntryId], [
    SPLIT.slice(0, 2),
    SPLIT.slice(2, 5),
    "e5",
  ]);
  const deps = watched(asking([
    { text: "HISTORY", delayMs: 300, expect: ["old task", "## Goal"], usage: { input: 1, output: 1 } },
    { text: "PREFIX", expect: ["long task", "## Original Request"], usage: { input: 2, output: 2 } },
  ]));
  const outcome = await compactCheckpoint(planned, { ...deps, ...LIMITS });
  assertEquals(deps.running, [1, 2]);
  assertEquals(outcome, {
    type: "compacted",
    result: {
      summary: "HISTORY\n\n---\n\n**Turn Context (split turn):**\n\nPREFIX\n\n<read-files>\na\n</read-files>",
      firstKeptEntryId: "e5",
      tokensBefore: planned.tokensBefore,
      details: { readFiles: ["a"], modifiedFiles: [] },
    },
    usage: { input: 3, output: 3, cacheRead: 0, cacheWrite: 0, totalTokens: 6 },
  });
});

Deno.test("compactCheckpoint() asks one after the other when the server refuses two at a time R289", async () => {
  const planned = await plan({ keepTokens: 50 }, SPLIT);
  const waits: number[] = [];
  const deps = watched(asking([
    { error: { status: 429, message: "slow down", retryAfterMs: 2500 } },
    { error: { status: 429, message: "slow down" } },
    { text: "HISTORY", expect: ["old task"] },
    { text: "PREFIX", expect: ["long task"] },
  ], waits));
  const outcome = await compactCheckpoint(planned, { ...deps, ...LIMITS });
  assertEquals([outcome.type, deps.running, waits], ["compacted", [1, 2, 1, 1], [2500, 1000]]);
});

Deno.test("compactCheckpoint() makes one request when there is nothing but the split turn", async () => {
  const planned = await plan({ keepTokens: 50 }, SPLIT.slice(2));
  const outcome = await compact(planned, [{ text: "PREFIX", expect: ["look here"] }], { focus: "look here" });
  assertStringIncludes(
    outcome.type === "compacted" ? outcome.result.summary : "",
    "Nothing came before this turn.\n\n---\n\n**Turn Context (split turn):**\n\nPREFIX",
  );
});

const BUSY = { error: { status: 503, message: "busy" } };
const FAILURES: readonly (readonly [string, readonly JsonObject[], string])[] = [
  ["a cut one", [{ text: "half", stopReason: "length" }], "output limit"],
  ["a tool call", [{ text: "let me", calls: [{ name: "read", args: {} }] }], "called a tool"],
  ["an empty one", [{ text: " \n" }], "empty"],
  ["a refusal", [{ error: { status: 400, message: "no such model" } }], "no such model"],
  ["one that broke off", [{ text: "half", error: { status: 401, message: "key" } }], "key"],
  ["a server that stays busy", [BUSY, BUSY, BUSY, { text: "too late" }], "busy"],
];
for (const [name, lines, message] of FAILURES) {
  Deno.test(`compactCheckpoint() stores nothing of ${name} R298`, async () => {
    const outcome = await compact(await plan({}), lines);
    assertEquals(outcome.type, "failed");
    assertStringIncludes(outcome.type === "failed" ? outcome.failure.message : "", message);
  });
}

Deno.test("compactCheckpoint() asks a busy server again, twice", async () => {
  assertEquals((await compact(await plan({}), [BUSY, BUSY, { text: "s" }])).type, "compacted");
});

Deno.test("compactCheckpoint() ends the other request when one fails for good, and reports the cause R298", async () => {
  const lines = [{ error: { status: 400, message: "bad" } }, { text: "late", delayMs: 60_000 }];
  const planned = await plan({ keepTokens: 50 }, SPLIT);
  const started = performance.now();
  const outcome = await compact(planned, lines);
  assertEquals(outcome.type === "failed" && outcome.failure.message, "bad");
  assertLess(performance.now() - started, 30_000);
});

Deno.test("compactCheckpoint() is aborted by its signal, while it asks and while it waits", async () => {
  const planned = await plan({});
  for (const lines of [[{ text: "late", delayMs: 60_000 }], [BUSY, { text: "late" }]]) {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 20);
    const sleep = () => new Promise<void>((resolve) => stop.signal.addEventListener("abort", () => resolve()));
    assertEquals(await compact(planned, lines, { signal: stop.signal, sleep }), { type: "aborted" });
  }
});

Deno.test("compactCheckpoint() never asks for more output than the model can give, nor sends more than its window takes", async () => {
  const deps = watched(asking([{ text: "s" }]));
  const messages = [user(words(30_000)), reply(words(30_000)), user("now"), reply(words(200))];
  await compactCheckpoint(await plan({}, messages), {
    ...deps,
    contextWindow: 20_000,
    reserveTokens: 4000,
    maxOutputTokens: 900,
  });
  const [request] = deps.requests;
  assertEquals(request?.maxTokens, 900);
  assert(String(request?.messages[0]?.content).length < 20_000 * 5);
});

const REFUSALS: readonly (readonly [string, Partial<CompactionInput>, string])[] = [
  ["a conversation that is kept whole", { keepTokens: 20_000 }, "20000 tokens"],
  ["an empty one", { messages: [], entryIds: [], path: [] }, "Nothing to compact"],
  ["one that was shortened last", {
    path: chain([
      { type: "message", message: user("x") },
      { type: "compaction", summary: "s", firstKeptEntryId: "e0", tokensBefore: 1 },
      { type: "model_change", provider: "p", modelId: "m" },
      { type: "custom", customType: "manifest" },
    ]),
  }, "a moment ago"],
];
for (const [name, input, message] of REFUSALS) {
  Deno.test(`planCompaction() refuses ${name}`, async () => {
    const planned = await planCompaction({
      ...session(TALK),
      reason: "manual",
      keepTokens: 100,
      signal: NEVER,
      ...input,
    });
    assertEquals(planned.type, "refused");
    assertStringIncludes(planned.type === "refused" ? planned.message : "", message);
  });
}

Deno.test("planCompaction() keeps less than the settings say when the context did not fit R299", async () => {
  const planned = await plan({ reason: "overflow", keepTokens: 20_000 });
  assertEquals(planned.history.length, 4);
});

Deno.test("planCompaction() does not trust a usage from before the last compaction, whatever the clock says", async () => {
  const path = chain([
    { type: "message", message: reply("old", [], { usage: usage(90_000), timestamp: 9e15 }) },
    { type: "compaction", summary: "s", firstKeptEntryId: "e0", tokensBefore: 1 },
    { type: "message", message: user("a") },
    { type: "message", message: reply(words(200)) },
  ]);
  const messages = path.flatMap((entry) => entry.type === "message" ? [entry.message] : []);
  const planned = await plan({ messages, entryIds: ["e0", "e2", "e3"], path });
  assert(planned.tokensBefore < 300, String(planned.tokensBefore));
});
