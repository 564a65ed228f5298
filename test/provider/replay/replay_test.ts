import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { UserError } from "../../../src/core/error.ts";
import type { AssistantMessage } from "../../../src/core/message.ts";
import type { Provider, ProviderEvent, ProviderRequest } from "../../../src/core/provider.ts";
import { openReplay, openReplayText } from "../../../src/provider/replay/replay.ts";

const REQUEST: ProviderRequest = {
  system: { stable: "You help.", dynamic: "" },
  messages: [{ role: "user", content: 'say "hi"\nnow', timestamp: 1 }],
  tools: [{ name: "read", description: "Reads", parameters: {} }],
  thinking: "off",
};
const NEVER = new AbortController().signal;
const open = (...lines: unknown[]): Provider =>
  openReplayText(lines.map((line) => JSON.stringify(line)).join("\n"), "c.jsonl", () => 7);

async function ask(provider: Provider, signal = NEVER, request = REQUEST): Promise<ProviderEvent[]> {
  return await Array.fromAsync(provider.stream(request, signal));
}

function endOf(events: readonly ProviderEvent[]): AssistantMessage {
  const last = events.at(-1);
  if (last?.type !== "end") throw new Error("no end");
  assertEquals(events.filter((event) => event.type === "end").length, 1);
  return last.message;
}

Deno.test("openReplayText() streams reasoning, text and call arguments in pieces of chunkChars and ends with the whole", async () => {
  const provider = open({
    thinking: "hmm",
    text: "abcde",
    chunkChars: 2,
    calls: [{ name: "t", args: { a: 1 } }, { name: "u", args: {}, id: "own" }],
    usage: { input: 10, output: 4, cacheRead: 2, costUsd: 0.25 },
  });
  assertEquals(await ask(provider), [
    { type: "thinking_delta", delta: "hm" },
    { type: "thinking_delta", delta: "m" },
    { type: "text_delta", delta: "ab" },
    { type: "text_delta", delta: "cd" },
    { type: "text_delta", delta: "e" },
    { type: "toolcall_delta", index: 0, name: "t", delta: '{"' },
    { type: "toolcall_delta", index: 0, delta: 'a"' },
    { type: "toolcall_delta", index: 0, delta: ":1" },
    { type: "toolcall_delta", index: 0, delta: "}" },
    { type: "toolcall_delta", index: 1, name: "u", delta: "{}" },
    {
      type: "end",
      message: {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hmm" },
          { type: "text", text: "abcde" },
          { type: "toolCall", id: "call_1_1", name: "t", arguments: { a: 1 } },
          { type: "toolCall", id: "own", name: "u", arguments: {} },
        ],
        provider: "replay",
        model: "c.jsonl",
        timestamp: 7,
        stopReason: "toolUse",
        usage: {
          input: 10,
          output: 4,
          cacheRead: 2,
          cacheWrite: 0,
          totalTokens: 16,
          cost: { input: 0, output: 0, cacheRead: 0, total: 0.25 },
        },
      },
    },
  ]);
});

Deno.test("openReplayText() never cuts a character in half", async () => {
  const deltas = (await ask(open({ text: "a😀😀b", chunkChars: 2 }))).slice(0, -1)
    .map((event) => event.type === "text_delta" ? event.delta : "");
  assertEquals(deltas, ["a😀", "😀", "b"]);
});

const FAILURES = [
  { error: { status: 401, message: "m" }, kind: "auth", retry: false },
  { error: { status: 403, message: "m" }, kind: "auth", retry: false },
  { error: { status: 429, message: "m" }, kind: "rate_limit", retry: true },
  { error: { status: 400, message: "m" }, kind: "bad_request", retry: false },
  { error: { status: 404, message: "m" }, kind: "bad_request", retry: false },
  { error: { status: 408, message: "m" }, kind: "overload", retry: true },
  { error: { status: 413, message: "m" }, kind: "context_overflow", retry: false },
  { error: { status: 500, message: "m" }, kind: "overload", retry: true },
  { error: { status: 529, message: "m" }, kind: "overload", retry: true },
  { error: { message: "m" }, kind: "network", retry: true },
  { error: { status: 429, message: "m", retry: false }, kind: "rate_limit", retry: false },
  { error: { status: 400, message: "m", kind: "context_overflow" }, kind: "context_overflow", retry: false },
] as const;
for (const { error, kind, retry } of FAILURES) {
  Deno.test(`openReplayText() plays ${JSON.stringify(error)} as ${kind}`, async () => {
    const { status, message } = { status: undefined, ...error };
    const end = endOf(await ask(open({ error })));
    assertEquals(end.stopReason, "error");
    assertEquals(end.failure, { kind, message, ...(status ? { status } : {}), retry });
    assertEquals(end.errorMessage, "m");
  });
}

Deno.test("openReplayText() plays a reply that breaks off after some text", async () => {
  const events = await ask(open({ text: "half", error: { message: "gone" } }));
  assertEquals(events[0], { type: "text_delta", delta: "half" });
  assertEquals([endOf(events).stopReason, endOf(events).content], ["error", [{ type: "text", text: "half" }]]);
});

Deno.test("openReplayText() says that there are more requests than lines, and goes on saying so", async () => {
  const provider = open({ text: "one" });
  assertEquals(endOf(await ask(provider)).stopReason, "stop");
  for (let i = 0; i < 2; i++) {
    const end = endOf(await ask(provider));
    assertEquals([end.stopReason, end.failure?.kind, end.failure?.retry], ["error", "bad_request", false]);
    assertStringIncludes(end.errorMessage ?? "", "it holds 1 reply and the run asked for one more");
  }
});

Deno.test("openReplayText() lets expect see system, messages and tools, as written or as JSON", async () => {
  const met = open({ text: "ok", expect: ["You help", 'say "hi"\nnow', 'say \\"hi\\"', '"name":"read"'] });
  assertEquals(endOf(await ask(met)).stopReason, "stop");
  const unmet = endOf(await ask(open({ text: "ok", expect: ["You help", 'gr"ep'] })));
  assertEquals([unmet.stopReason, unmet.content], ["error", []]);
  assertStringIncludes(unmet.errorMessage ?? "", 'Cassette "c.jsonl", line 1, expects "gr\\"ep" in the request');
});

Deno.test("openReplayText() waits delayMs, and an abort ends the wait", async () => {
  const started = performance.now();
  await ask(open({ text: "a", delayMs: 30 }));
  assertEquals(performance.now() - started >= 29, true);
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 5);
  const end = endOf(await ask(open({ text: "a", delayMs: 60_000 }), controller.signal));
  assertEquals([end.stopReason, end.content], ["aborted", []]);
});

Deno.test("openReplayText() keeps what was said before an abort and no half call", async () => {
  const line = { text: "abcd", chunkChars: 2, calls: [{ name: "t", args: { a: 1 } }] };
  const whole = (await ask(open(line))).length;
  for (let stopAfter = 1; stopAfter < whole - 1; stopAfter++) {
    const controller = new AbortController();
    const events: ProviderEvent[] = [];
    for await (const event of open(line).stream(REQUEST, controller.signal)) {
      if (events.push(event) === stopAfter) controller.abort();
    }
    assertEquals(events.length, stopAfter + 1);
    assertEquals(endOf(events).stopReason, "aborted");
    assertEquals(endOf(events).content, [{ type: "text", text: "abcd".slice(0, stopAfter * 2) }]);
  }
});

Deno.test("openReplay() reads a file and explains one that is missing or empty", async () => {
  const folder = Deno.makeTempDirSync();
  try {
    const file = join(folder, "c.jsonl");
    Deno.writeTextFileSync(file, '{"text":"hi"}\n');
    const provider = await openReplay(file, () => Deno.readTextFile(file));
    assertEquals([provider.name, provider.model, endOf(await ask(provider)).stopReason], ["replay", file, "stop"]);
    const error = await assertRejects(
      () => openReplay(join(folder, "none"), () => Deno.readTextFile(join(folder, "none"))),
      UserError,
    );
    assertEquals([error.what, error.exitCode], [`Cannot open cassette "${join(folder, "none")}"`, 2]);
    assertEquals(assertThrows(() => openReplayText("\n", "e"), UserError).why, "it holds no reply");
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
