import { assert, assertEquals, assertGreater, assertLess, assertLessOrEqual } from "@std/assert";
import { fromFileUrl, toFileUrl } from "@std/path";
import fc from "fast-check";
import type { AgentMessage } from "../../src/core/message.ts";
import { findCut } from "../../src/history/cut.ts";
import { estimateContext, recentBound } from "../../src/history/estimate.ts";
import { countTokens, messageBound, messageTokens, tokenBound } from "../../src/history/tokens.ts";
import { call, reply, result, usage, user, words } from "./conversation.ts";

const SOURCE = toFileUrl(fromFileUrl(new URL("../../src/history/", import.meta.url))).href;

Deno.test("estimateContext() loads no tokenizer while the bound is low, and loads it above R307", async () => {
  const folder = Deno.makeTempDirSync();
  try {
    Deno.mkdirSync(`${folder}/encoding`);
    // In place of the real package: tells that it was loaded.
    Deno.writeTextFileSync(`${folder}/encoding/cl100k_base`, `throw new Error("tokenizer loaded");`);
    Deno.writeTextFileSync(
      `${folder}/map.json`,
      JSON.stringify({ imports: { "gpt-tokenizer/": `${toFileUrl(folder).href}/` } }),
    );
    Deno.writeTextFileSync(
      `${folder}/short.ts`,
      `import { estimateContext } from "${SOURCE}estimate.ts";
       const messages = Array.from({ length: 400 }, (_, i) => ({ role: "user", content: "hello " + i, timestamp: 1 }));
       console.log(await estimateContext(messages, { enough: 10_000, fixed: ["system"] }));
       await estimateContext(messages, { enough: 5 }).catch((error) => console.log(error.message));`,
    );
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "--no-prompt",
        "--no-lock",
        "--no-config",
        "--no-check",
        `--import-map=${folder}/map.json`,
        `${folder}/short.ts`,
      ],
      env: { NO_COLOR: "1" },
    }).output();
    const [first, second] = new TextDecoder().decode(stdout).trim().split("\n");
    assertEquals(
      first,
      String(400 * (6 + 4) + 10 + 90 * 2 + 300 * 3 + 6),
      new TextDecoder().decode(stderr),
    );
    assertEquals(second, "tokenizer loaded");
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

const LATER = user(words(10));
const GONE: AgentMessage = { role: "compactionSummary", summary: "s", tokensBefore: 9, timestamp: 50 };
const at = (timestamp: number, tokens: number): AgentMessage => reply("x", [], { usage: usage(tokens), timestamp });
const USAGES: readonly (readonly [string, readonly AgentMessage[], number | undefined, number, number])[] = [
  ["takes the newest usage", [user("a"), at(1, 300), user("b"), at(2, 700)], undefined, 700, 0],
  ["adds what follows", [at(1, 700), LATER], undefined, 700, 1],
  ["skips a failed reply", [at(1, 700), reply("x", [], { usage: usage(9), stopReason: "error" })], undefined, 700, 1],
  [
    "skips a stopped reply",
    [at(1, 700), reply("x", [], { usage: usage(9), stopReason: "aborted" })],
    undefined,
    700,
    1,
  ],
  ["skips a usage of zero", [at(1, 700), reply("x", [], { usage: usage(0) })], undefined, 700, 1],
  ["skips a reply without usage", [at(1, 700), reply("x")], undefined, 700, 1],
  ["does not trust a usage from before a compaction", [GONE, at(49, 700), LATER], 2, 0, 3],
  ["trusts one from after it, whatever the clock says", [GONE, at(99, 700), at(20, 80), LATER], 2, 80, 1],
];
for (const [name, messages, freshFrom, told, following] of USAGES) {
  Deno.test(`estimateContext() ${name}`, async () => {
    const estimate = await estimateContext(messages, freshFrom === undefined ? {} : { freshFrom });
    let rest = 0;
    for (const message of messages.slice(messages.length - following)) rest += await messageTokens(message);
    assertEquals(estimate, told + rest);
  });
}

for (const [name, messages, freshFrom, told, following] of USAGES) {
  Deno.test(`recentBound() ${name}, and is never below what estimateContext() gives R275`, async () => {
    const estimate = await estimateContext(messages, freshFrom === undefined ? {} : { freshFrom });
    const stale = new Set(messages.slice(0, freshFrom ?? 0));
    const bound = recentBound(messages, (message) => stale.has(message));
    if (told === 0) return assertEquals(bound, undefined);
    assert(bound !== undefined && bound >= estimate, `${bound} < ${estimate}`);
    const rest = messages.slice(messages.length - following).reduce((sum, message) => sum + messageBound(message), 0);
    assertEquals(bound, told + rest);
  });
}

Deno.test("recentBound() looks back no further than the newest reply that told a usage", () => {
  const poison = new Proxy(user("x"), {
    get: () => {
      throw new Error("looked at");
    },
  });
  assertEquals(recentBound([poison, at(1, 700)], () => false), 700);
});

Deno.test("estimateContext() counts input, output and both kinds of cache, once", async () => {
  const spent = { input: 100, output: 200, cacheRead: 300, cacheWrite: 100, totalTokens: 0 };
  assertEquals(await estimateContext([reply("x", [], { usage: spent })], { fixed: ["is part of the usage"] }), 700);
});

Deno.test("countTokens() takes control tokens as text, gives the same number twice and never more than the bound R307", async () => {
  assertEquals(await countTokens("hello world"), 2);
  assert(await countTokens("<|endoftext|>") > 1);
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary", maxLength: 1500 }), async (text) => {
      const tokens = await countTokens(text);
      assertEquals(tokens, await countTokens(text));
      assertLessOrEqual(tokens, tokenBound(text));
    }),
    { numRuns: 20 },
  );
});

Deno.test("countTokens() lets other work run while it counts a long text, and stops early after an abort", async () => {
  // No two slices alike, or the tokenizer would remember them.
  const text = Array.from(
    { length: 400_000 },
    (_, i) => String.fromCharCode(0x4e00 + (i * 7919 + (i >> 4) * 31) % 20_000),
  )
    .join("");
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 100);
  const tokens = await countTokens(text, stop.signal);
  clearInterval(timer);
  assertGreater(ticks, 0);
  assertLessOrEqual(tokens, tokenBound(text));
  // Counted to its end it would be 77 % of the bound; what an abort leaves uncounted is all of it.
  assertGreater(tokens, tokenBound(text) * 0.85);
});

Deno.test("messageTokens() and messageBound() count calls, results, reasoning and pictures", async () => {
  const image = { type: "image", data: "A".repeat(100_000), mimeType: "image/png" } as const;
  assertEquals(await messageTokens(user([{ type: "text", text: "hello world" }, image])), 2 + 4 + 1600);
  assertEquals(messageBound(user([{ type: "text", text: "hello world" }, image])), 11 + 4 + 1600);
  const asked = reply("a", [call("1", "read", { path: "b" })], {});
  assertEquals(messageBound(asked), 1 + 4 + '{"path":"b"}'.length + 4);
  assertEquals(messageBound({ ...asked, content: [{ type: "thinking", thinking: "hmm" }] }), 3 + 4);
  assertEquals(messageBound(result("1", "äß")), 4 + 4);
  const kept: AgentMessage = {
    role: "bashExecution",
    command: "ls",
    output: "x",
    cancelled: false,
    truncated: false,
    excludeFromContext: true,
    timestamp: 1,
  };
  assertEquals([messageBound(kept), await messageTokens(kept)], [0, 0]);
});

Deno.test("estimateContext() and findCut() take a few milliseconds for 1,000 messages", async () => {
  const messages = Array.from({ length: 250 }, (_, i) => [
    user(`question ${i}`),
    reply("", [call("1", "read", { path: `src/${i}.ts` })]),
    result("1", `const x${i} = 1;\n`.repeat(20)),
    reply("done"),
  ]).flat();
  const measure = async (): Promise<number> => {
    const start = performance.now();
    await estimateContext(messages);
    await findCut(messages, 0, 20_000, (message) => messageTokens(message));
    return performance.now() - start;
  };
  await measure();
  // The shortest of some: a busy machine lends a processor for less than that at a time.
  let shortest = await measure();
  for (let more = 0; more < 100 && shortest >= 10; more++) shortest = Math.min(shortest, await measure());
  assertLess(shortest, 10);
});
