import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { UserError } from "../../src/core/error.ts";
import type { JsonObject } from "../../src/core/json.ts";
import type { AgentMessage } from "../../src/core/message.ts";
import type { NewEntry } from "../../src/core/session.ts";
import {
  loadHistory,
  rollingEntry,
  type RollingInput,
  storedSummary,
  turnsOf,
} from "../../src/history/loaded_history.ts";
import { messageTokens } from "../../src/history/tokens.ts";
import { type RollingOptions, type RollingSelection, selectRolling } from "../../src/history/rolling.ts";
import { asking, call, chain, reply, result, session, user, words } from "./conversation.ts";

async function select(
  input: RollingInput,
  lines: readonly JsonObject[],
  more: Partial<RollingOptions> = {},
): Promise<RollingSelection> {
  return await selectRolling(input, { ...asking(lines), contextWindow: 2000, responseReserveTokens: 1000, ...more });
}

/** What a session holds when messages and other entries take turns. */
function mixed(parts: readonly (AgentMessage | NewEntry)[]): RollingInput {
  const path = chain(parts.map((part) => "role" in part ? { type: "message", message: part } : part));
  const kept = path.flatMap((entry) => entry.type === "message" ? [entry] : []);
  return { messages: kept.map(({ message }) => message), entryIds: kept.map(({ id }) => id), path };
}

const turn = (name: string, tokens = 1): AgentMessage[] => [user(`ask ${name}`), reply(`${name} ${words(tokens)}`)];
const names = (messages: readonly AgentMessage[]): string[] =>
  messages.flatMap((message) => message.role === "user" ? [String(message.content)] : []);

Deno.test("selectRolling() sends everything below 80 % of the budget and asks nobody R308 R322", async () => {
  const input = session([...turn("a"), ...turn("b", 700)]);
  assertEquals(await select(input, [{ text: "never" }]), { decision: "full", messages: input.messages });
  assertEquals(await select(session([]), [{ text: "never" }]), { decision: "full", messages: [] });
});

Deno.test("selectRolling() compresses at exactly 80 % and not one token below R309", async () => {
  const input = session(turn("a", 702));
  let total = 0;
  for (const message of input.messages) total += await messageTokens(message);
  const budgetOf = (budget: number) => ({ contextWindow: budget + 1000, responseReserveTokens: 1000 });
  assertEquals(total % 4, 0, `${total} has to be 80 % of a whole number`);
  const exact = await select(input, [{ text: "S" }], budgetOf(total / 4 * 5));
  assertEquals(exact.decision, "compressed");
  const below = await select(input, [{ text: "S" }], budgetOf(total / 4 * 5 + 1));
  assertEquals(below.decision, "full");
});

Deno.test("selectRolling() records a history of which older turns are omitted as truncated, until a summary covers them R304 R322", async () => {
  const input = session(Array.from({ length: 150 }, (_, i) => turn(String(i))).flat());
  const wide = { contextWindow: 100_000, responseReserveTokens: 1000 };
  assertEquals((await select(input, [{ text: "never" }], wide)).decision, "truncated");
  const covered = mixed([...input.messages, rollingEntry({ summary: "S", coveredThrough: "e199" })]);
  assertEquals((await select(covered, [{ text: "never" }], wide)).decision, "full");
});

const LONG = [...turn("a", 500), ...turn("b", 500)];

Deno.test("selectRolling() replaces the history by one summary of about a tenth and gives it to be stored R310 R312 R313 R316 R319", async () => {
  const expect = [
    "ask a",
    "ask b",
    "Compress this conversation into a text of about 100 tokens",
    "decisions",
    "file paths",
    "corrected",
    "unresolved work",
  ];
  assertEquals(await select(session(LONG), [{ text: " SHORT ", expect, usage: { input: 9, output: 1 } }]), {
    decision: "compressed",
    messages: [],
    systemSummary: "Summary of earlier conversation:\nSHORT",
    newSummary: { summary: "SHORT", coveredThrough: "e3" },
    usage: { input: 9, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 10 },
  });
});

Deno.test("selectRolling() lets the summary model compress, and without one the session's R311", async () => {
  const small = asking([{ text: "SMALL" }]).provider;
  const both = await select(session(LONG), [{ text: "OWN" }], { summaryProvider: small });
  const own = await select(session(LONG), [{ text: "OWN" }]);
  assertEquals([both.newSummary?.summary, own.newSummary?.summary], ["SMALL", "OWN"]);
});

Deno.test("selectRolling() sends a stored summary again, without what it covers and without a request R317 R318", async () => {
  const input = mixed([...LONG, rollingEntry({ summary: "SHORT", coveredThrough: "e3" }), ...turn("c")]);
  assertEquals(await select(input, [{ text: "never" }]), {
    decision: "full",
    messages: input.messages.slice(4),
    systemSummary: "Summary of earlier conversation:\nSHORT",
  });
});

Deno.test("selectRolling() compresses a stored summary together with what came after it R310", async () => {
  const input = mixed([...LONG, rollingEntry({ summary: "SHORT", coveredThrough: "e3" }), ...turn("c", 900)]);
  const selection = await select(input, [{
    text: "BOTH",
    expect: ["<previous-summary>\nSHORT\n</previous-summary>", "ask c"],
  }]);
  assertEquals(selection.newSummary, { summary: "BOTH", coveredThrough: "e6" });
});

const FAILURES: readonly (readonly [string, JsonObject, string])[] = [
  ["an empty reply", { text: "  " }, "empty"],
  ["a refusal", { error: { status: 400, message: "no such model" } }, "no such model"],
  ["a cut reply", { text: "half", stopReason: "length" }, "output limit"],
  ["a summary as long as what it is of", { text: words(900) }, "too long"],
];
for (const [name, line, problem] of FAILURES) {
  Deno.test(`selectRolling() after ${name} keeps the old summary and sends the newest turns that fit, in order R314 R315 R320`, async () => {
    const parts = [...turn("a", 900), ...turn("b", 300), ...turn("c", 300), ...turn("d", 200)];
    const input = mixed([...turn("old"), rollingEntry({ summary: "OLD", coveredThrough: "e1" }), ...parts]);
    const selection = await select(input, [line]);
    assertEquals(selection.decision, "truncated");
    assertEquals(names(selection.messages), ["ask b", "ask c", "ask d"]);
    assertEquals(selection.messages[0]?.role, "user");
    assertEquals([selection.systemSummary, selection.newSummary], ["Summary of earlier conversation:\nOLD", undefined]);
    assertStringIncludes(selection.problem ?? "", problem);
  });
}

Deno.test("selectRolling() says full when compression failed but everything fits, and truncated when nothing does R314 R322", async () => {
  const fits = await select(session(turn("a", 850)), [{ text: "" }]);
  assertEquals([fits.decision, fits.messages.length], ["full", 2]);
  const tooLong = await select(session(turn("a", 1200)), [{ text: "" }]);
  assertEquals([tooLong.decision, tooLong.messages], ["truncated", []]);
});

Deno.test("selectRolling() leaves out a stored summary that does not fit any more R314", async () => {
  const input = mixed([...turn("old"), rollingEntry({ summary: words(1200), coveredThrough: "e1" }), ...turn("a")]);
  const selection = await select(input, [{ text: "" }]);
  assertEquals([selection.decision, selection.systemSummary, names(selection.messages)], ["truncated", undefined, [
    "ask a",
  ]]);
});

Deno.test("selectRolling() refuses a reserve that leaves no budget R306 R321", async () => {
  await assertRejects(() => select(session(LONG), [], { contextWindow: 1000 }), UserError);
});

Deno.test("selectRolling() keeps commands and notes before the new prompt out of the summary", async () => {
  const run: AgentMessage = {
    role: "bashExecution",
    command: "ls",
    output: "x",
    cancelled: false,
    truncated: false,
    timestamp: 1,
  };
  const selection = await select(session([...LONG, run]), [{ text: "S" }]);
  assertEquals([selection.messages, selection.newSummary?.coveredThrough], [[run], "e3"]);
});

Deno.test("loadHistory() loads the newest 200 messages of whole turns R304", () => {
  const input = session(Array.from({ length: 150 }, (_, i) => turn(String(i))).flat());
  const { messages, lastEntryId } = loadHistory(input, undefined);
  assertEquals(messages, input.messages.slice(100));
  assertEquals(lastEntryId, "e299");
  const odd = session([
    ...Array.from({ length: 150 }, (_, i) => turn(String(i))).flat(),
    user("one more"),
    ...turn("x"),
  ]);
  assertEquals(loadHistory(odd, undefined).messages, odd.messages.slice(-199));
});

Deno.test("loadHistory() loads of a longer turn what was asked and its end, and no result without its call R291 R304", () => {
  const steps = Array.from({ length: 90 }, (_, i) => [
    reply("", [call("1", "read", { path: `${i}a` }), call("2", "read", { path: `${i}b` })]),
    result("1", "x"),
    result("2", "x"),
  ]).flat();
  const input = session([...turn("before"), user("work"), ...steps, reply("done")]);
  const { messages, turns } = loadHistory(input, undefined);
  assertEquals([messages[0], messages[1]?.role, messages.at(-1)], [
    input.messages[2],
    "assistant",
    input.messages.at(-1),
  ]);
  assertEquals(turns, [{ from: 0, to: messages.length, state: "completed" }]);
  assert(messages.length > 195 && messages.length <= 200);
});

Deno.test("loadHistory() loads neither a stopped turn nor a running one R305", () => {
  const stopped = [user("stopped"), reply("half", [], { stopReason: "aborted" })];
  const running = [user("running"), reply("", [call("1", "read", {})]), result("1", "x")];
  const input = session([...turn("a"), ...stopped, ...turn("b"), ...running]);
  assertEquals(names(loadHistory(input, undefined).messages), ["ask a", "ask b"]);
});

Deno.test("turnsOf() ends a turn with the model's last word; steering does not", () => {
  const messages = [
    user("a"),
    reply("", [call("1", "read", {})]),
    result("1", "x"),
    user("steer"),
    reply("done"),
    user("b"),
    reply("half", [], { stopReason: "aborted" }),
    user("c"),
  ];
  assertEquals(turnsOf(messages), [
    { from: 0, to: 5, state: "completed" },
    { from: 5, to: 7, state: "open" },
    { from: 7, to: 8, state: "open" },
  ]);
});

Deno.test("storedSummary() takes the newest one of the path that has what it covers R317", () => {
  const data: readonly unknown[] = [null, "x", { summary: 1, coveredThrough: "e0" }, { summary: "s" }, {
    summary: "s",
    coveredThrough: "other branch",
  }];
  const path = chain([
    { type: "message", message: user("a") },
    rollingEntry({ summary: "first", coveredThrough: "e0" }),
    rollingEntry({ summary: "second", coveredThrough: "e0" }),
    { type: "custom", customType: "other", data: { summary: "s", coveredThrough: "e0" } },
    ...data.map((value) => ({ type: "custom", customType: "rolling_summary", data: value } as const)),
  ]);
  assertEquals(storedSummary(path), { summary: "second", coveredThrough: "e0" });
  assertEquals(storedSummary(path.slice(0, 1)), undefined);
});
