import { assertEquals } from "@std/assert";
import { type Capabilities, combined, readCapabilities } from "../../src/provider/capabilities/capabilities.ts";
import { knownCapabilities } from "../../src/provider/capabilities/known.ts";
import { effortFields } from "../../src/provider/openai/effort.ts";

const of = (host: string, model: string): Capabilities => combined(knownCapabilities(`https://${host}/v1`, model));

const KNOWN: readonly {
  readonly host: string;
  readonly model: string;
  readonly takes: Partial<Capabilities>;
}[] = [
  {
    host: "api.openai.com",
    model: "gpt-4o",
    takes: { developerRole: false, cacheKey: true, encryptedReasoning: true },
  },
  { host: "api.openai.com", model: "gpt-5", takes: { developerRole: true, maxTokensField: "max_completion_tokens" } },
  { host: "api.openai.com", model: "gpt-5.5", takes: { api: "responses" } },
  { host: "x.openai.azure.com", model: "gpt-5", takes: { cacheKey: true, encryptedReasoning: true } },
  {
    host: "api.mistral.ai",
    model: "m",
    takes: { alternation: true, userAfterTool: false, callIds: "mistral9", reasoningEcho: "never" },
  },
  {
    host: "unknown.test",
    model: "Devstral-Small-2-24B",
    takes: { alternation: true, userAfterTool: false, systemMessages: "first" },
  },
  {
    host: "openrouter.ai",
    model: "mistralai/mistral-large",
    takes: { alternation: true, userAfterTool: false, effortStyle: "reasoning" },
  },
  { host: "openrouter.ai", model: "anthropic/claude-opus-5.5", takes: { cacheControl: true } },
  { host: "127.0.0.1", model: "google/gemma-3-27b-it", takes: { alternation: true, systemMessages: "first" } },
  { host: "127.0.0.1", model: "qwen3.5-27b", takes: { systemMessages: "first", alternation: false } },
  {
    host: "api.deepseek.com",
    model: "deepseek-v4-pro",
    takes: { reasoningField: "reasoning_content", reasoningEcho: "calls" },
  },
  { host: "api.moonshot.ai", model: "kimi-k2.5", takes: { reasoningField: "reasoning_content", strict: false } },
  {
    host: "evil.test",
    model: "m",
    takes: { alternation: false, cacheKey: false, streamOptions: true, callIds: "keep" },
  },
  { host: "api.mistral.ai.evil.test", model: "m", takes: { callIds: "keep" } },
];
for (const { host, model, takes } of KNOWN) {
  Deno.test(`knownCapabilities() knows ${model} at ${host}`, () => {
    const all = of(host, model);
    assertEquals({ ...all, ...takes }, all);
  });
}

const EFFORTS: readonly (readonly [string, string, Parameters<typeof effortFields>[0], unknown])[] = [
  ["127.0.0.1", "m", "off", {}],
  ["127.0.0.1", "m", "minimal", { reasoning_effort: "low" }],
  ["127.0.0.1", "m", "high", { reasoning_effort: "high" }],
  ["127.0.0.1", "m", "xhigh", { reasoning_effort: "high" }],
  ["api.openai.com", "gpt-5", "minimal", { reasoning_effort: "minimal" }],
  ["api.openai.com", "gpt-5.2", "xhigh", { reasoning_effort: "xhigh" }],
  ["api.openai.com", "o3", "xhigh", { reasoning_effort: "high" }],
  ["openrouter.ai", "x-ai/grok-5", "medium", { reasoning: { effort: "medium" } }],
  ["api.deepseek.com", "deepseek-v4-pro", "xhigh", { thinking: { type: "enabled" }, reasoning_effort: "max" }],
  ["api.moonshot.cn", "kimi-k2.6", "high", { thinking: { type: "enabled" } }],
  ["api.z.ai", "glm-5", "low", { thinking: { type: "enabled" } }],
  ["dashscope-intl.aliyuncs.com", "qwen3-max", "low", { enable_thinking: true }],
  ["api.groq.com", "qwen/qwen3-32b", "high", { reasoning_effort: "default" }],
  ["api.x.ai", "grok-code-fast-1", "high", {}],
  ["api.x.ai", "grok-3-mini", "medium", { reasoning_effort: "high" }],
  ["api.mistral.ai", "m", "high", {}],
];
for (const [host, model, level, expected] of EFFORTS) {
  Deno.test(`effortFields() asks ${model} at ${host} for ${level} in its own words`, () => {
    assertEquals<unknown>(effortFields(level, of(host, model)), expected);
  });
}

Deno.test("readCapabilities() takes what a learned file may hold, and nothing else", () => {
  const good = {
    api: "responses",
    images: false,
    efforts: { high: "max", low: null },
    contextWindow: 4096,
    reasoningField: "reasoning",
    thinkingStyle: "budget",
    mostEffort: "none",
    thinkingDisplay: false,
    eagerInput: false,
  };
  assertEquals<unknown>(readCapabilities(good), good);
  const bad: readonly unknown[] = [
    null,
    [],
    "x",
    { images: "no" },
    { contextWindow: -1 },
    { contextWindow: 1.5 },
    { efforts: { high: 5 } },
    { efforts: { extreme: "max" } },
    { systemMessages: "last" },
    { baseUrl: "http://evil.test" },
    { constructor: true },
    { reasoningField: "__proto__" },
    { thinkingStyle: "enabled" },
    { mostEffort: 3 },
    { thinkingDisplay: "no" },
    { eagerInput: null },
  ];
  for (const value of bad) assertEquals(readCapabilities(value), undefined, JSON.stringify(value));
});
