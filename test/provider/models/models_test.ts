import { assertEquals } from "@std/assert";
import { KNOWN_MODELS } from "../../../src/provider/models/known_models.ts";
import { cost, modelFacts } from "../../../src/provider/models/models.ts";
import { readUsage } from "../../../src/provider/reply/usage.ts";

Deno.test("modelFacts() knows models under a vendor's prefix, with a date, in another spelling", () => {
  const opus = {
    contextWindow: 1_000_000,
    maxTokens: 128_000,
    isKnown: true,
    price: { input: 4, cacheRead: 0.4, output: 20 },
  };
  for (
    const id of [
      "claude-opus-5-5",
      "anthropic/claude-opus-5.5",
      "Claude-Opus-5-5-20261001",
      "claude-opus-5-5-latest:batch",
    ]
  ) {
    assertEquals(modelFacts(id), opus, id);
  }
});

Deno.test("modelFacts() gives a safe default for a model it does not know, and says so", () => {
  assertEquals(modelFacts("my-finetune"), { contextWindow: 128_000, maxTokens: 16_384, isKnown: false });
  assertEquals(modelFacts("constructor").isKnown, false);
});

Deno.test("KNOWN_MODELS has no impossible row", () => {
  for (const [name, [window, output, input, cached, out]] of Object.entries(KNOWN_MODELS)) {
    assertEquals([name, output < window, (cached ?? 0) <= (input ?? 0), (input ?? 0) <= (out ?? 0)], [
      name,
      true,
      true,
      true,
    ]);
  }
});

Deno.test("cost() adds up by kind, cached input at its own price", () => {
  const usage = { input: 1000, output: 500, cacheRead: 2000, cacheWrite: 100, totalTokens: 3600 };
  assertEquals(cost(usage, { input: 1000, output: 2000, cacheRead: 500 }), {
    input: 1.1,
    output: 1,
    cacheRead: 1,
    total: 3.1,
  });
  assertEquals(cost(usage, { input: 1000, output: 2000, cacheWrite: 10_000 }), {
    input: 2,
    output: 1,
    cacheRead: 2,
    total: 5,
  });
});

const USAGES: readonly { name: string; raw: unknown; expect: readonly number[] | undefined }[] = [
  { name: "nothing", raw: null, expect: undefined },
  { name: "an empty object", raw: {}, expect: undefined },
  {
    name: "xAI's reasoning outside the output",
    raw: {
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 22,
      completion_tokens_details: { reasoning_tokens: 7 },
    },
    expect: [10, 12, 0, 0, 22],
  },
  {
    name: "written cache",
    raw: {
      prompt_tokens: 10,
      completion_tokens: 1,
      prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 5 },
    },
    expect: [1, 1, 4, 5, 11],
  },
  {
    name: "Mistral's cached tokens",
    raw: { prompt_tokens: 10, completion_tokens: 1, num_cached_tokens: 3 },
    expect: [7, 1, 3, 0, 11],
  },
  {
    name: "Responses",
    raw: { input_tokens: 10, output_tokens: 2, input_tokens_details: { cached_tokens: 6 } },
    expect: [4, 2, 6, 0, 12],
  },
];
for (const { name, raw, expect } of USAGES) {
  Deno.test(`readUsage() reads ${name} (R430)`, () => {
    const usage = readUsage(raw);
    assertEquals(usage && [usage.input, usage.output, usage.cacheRead, usage.cacheWrite, usage.totalTokens], expect);
  });
}
