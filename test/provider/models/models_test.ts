import { assert, assertEquals } from "@std/assert";
import { CATALOGUE } from "../../../src/provider/models/catalogue.ts";
import { catalogueModels, cost, modelFacts } from "../../../src/provider/models/models.ts";
import { readUsage } from "../../../src/provider/reply/usage.ts";

Deno.test("modelFacts() knows models under a vendor's prefix, with a date, in another spelling", () => {
  const opus = {
    contextWindow: 1_000_000,
    maxTokens: 128_000,
    isKnown: true,
    seesImages: true,
    reasons: true,
    price: { input: 4, cacheRead: 0.2, cacheWrite: 5, output: 20 },
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

Deno.test("the catalogue has no impossible row, and no id twice", () => {
  for (const [provider, text] of Object.entries(CATALOGUE)) {
    const ids = catalogueModels(provider);
    assertEquals([provider, new Set(ids).size, ids.length > 0], [provider, ids.length, true]);
    for (const id of ids) {
      const { contextWindow, maxTokens, price, isKnown } = modelFacts(id, provider);
      const { input = 0, cacheRead = 0, output = 0 } = price ?? {};
      assertEquals([id, isKnown, maxTokens < contextWindow, cacheRead <= input, input <= output], [
        id,
        true,
        true,
        true,
        true,
      ]);
      assert(Number.isFinite(contextWindow + maxTokens + input + output), id);
    }
    assertEquals(text.split("\n").filter((line) => line !== "" && line.split(" ").length !== 8), [], provider);
  }
});

Deno.test("modelFacts() has a provider's own price and no other provider's", () => {
  const at = (id: string, catalogue?: string) => modelFacts(id, catalogue).price;
  assertEquals(at("gpt-5", "openai"), { input: 1.25, output: 10, cacheRead: 0.125 });
  assertEquals(at("gpt-5"), at("gpt-5", "openai"), "nobody is named: the vendor's");
  assertEquals(at("openai/gpt-5", "github"), undefined, "somebody else sells it");
  assertEquals(modelFacts("openai/gpt-5", "github").contextWindow, 400_000);
  assertEquals(modelFacts("anthropic.claude-opus-5-5", "nobody").contextWindow, 1_000_000);
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
