// What is known before anything was asked. Endpoints are told by the parsed host name and its suffix, never by a part of
// the URL's text; models by the start of their name, behind any vendor's prefix. Later rows win.
import { THINKING_LEVELS, type ThinkingLevel } from "../../core/provider.ts";
import { type Capabilities, joined, type SomeCapabilities } from "./capabilities.ts";

interface Row {
  /** Suffix of the host's name; any host where absent. */
  readonly host?: string;
  /** Tested on the name without prefix, in lower case; any model where absent. */
  readonly model?: RegExp;
  readonly takes: SomeCapabilities;
}

const COMPLETION: SomeCapabilities = { maxTokensField: "max_completion_tokens" };
const OPENAI: SomeCapabilities = { ...COMPLETION, cacheKey: true, encryptedReasoning: true, callIds: "max40" };
/** Endpoints that name the reasoning of calls as missing where it does not come back. */
const ECHO: SomeCapabilities = {
  effortStyle: "thinking",
  reasoningEcho: "calls",
  reasoningField: "reasoning_content",
};
/** A word for each level of thinking, or none. */
export const wordsBy = (word: (level: ThinkingLevel) => string | null): Capabilities["efforts"] =>
  Object.fromEntries(THINKING_LEVELS.filter((level) => level !== "off").map((level) => [level, word(level)]));
/** Levels that go by their own names. */
const own = (...levels: readonly ThinkingLevel[]): Capabilities["efforts"] =>
  Object.fromEntries(levels.map((level) => [level, level]));
const MOST = THINKING_LEVELS.slice(-1);
const NO_WORDS = wordsBy(() => null);
/** The templates of these models refuse neighbours of one role and system messages later on, whoever serves them. */
const STRICT_TEMPLATE: SomeCapabilities = { alternation: true, systemMessages: "first" };
const OPENAI_HOSTS = [
  "api.openai.com",
  "openai.azure.com",
  "cognitiveservices.azure.com",
  "services.ai.azure.com",
];

const ROWS: readonly Row[] = [
  { model: /^gemma/, takes: STRICT_TEMPLATE },
  {
    model: /^(?:open-)?(?:mi[sx]tral|ministral|codestral|devstral|magistral|pixtral)/,
    takes: { ...STRICT_TEMPLATE, userAfterTool: false },
  },
  { model: /^qwen(?:3\.[5-9]|[4-9])/, takes: { systemMessages: "first" } },
  { model: /^(?:gpt-oss|deepseek-(?:chat|coder|reasoner|r1))/, takes: { images: false } },
  ...OPENAI_HOSTS.flatMap((host): Row[] => [
    { host, takes: OPENAI },
    { host, model: /^(?:o\d|gpt-[5-9])/, takes: { developerRole: true } },
    { host, model: /^gpt-5(?:-(?:mini|nano|codex))?$/, takes: { efforts: own("minimal") } },
    { host, model: /^gpt-(?:5\.[2-9]|[6-9])/, takes: { efforts: own(...MOST) } },
    // They take no tools on the chat endpoint once they think.
    { host, model: /^(?:gpt-5\.[4-9]|gpt-[6-9]|o\d-pro|gpt-5-pro|gpt-5.*codex)/, takes: { api: "responses" } },
  ]),
  { host: "openrouter.ai", takes: { ...COMPLETION, effortStyle: "reasoning", efforts: own(...MOST) } },
  {
    host: "api.mistral.ai",
    takes: {
      ...STRICT_TEMPLATE,
      userAfterTool: false,
      callIds: "mistral9",
      effortStyle: "none",
      reasoningEcho: "never",
    },
  },
  { host: "openrouter.ai", model: /^claude/, takes: { cacheControl: true } },
  { host: "api.groq.com", takes: COMPLETION },
  {
    host: "api.groq.com",
    model: /^qwen/,
    takes: { efforts: wordsBy(() => "default") },
  },
  { host: "api.x.ai", takes: { ...COMPLETION, effortStyle: "none", encryptedReasoning: true } },
  {
    host: "api.x.ai",
    model: /^grok-(?:3-mini|4\.[3-9]|[5-9])/,
    takes: { effortStyle: "effort" },
  },
  { host: "api.x.ai", model: /^grok-3-mini/, takes: { efforts: { medium: "high" } } },
  { host: "api.cerebras.ai", takes: COMPLETION },
  { host: "api.fireworks.ai", takes: COMPLETION },
  { host: "models.github.ai", model: /^(?:o\d|gpt-[5-9])/, takes: COMPLETION },
  {
    host: "api.deepseek.com",
    takes: { ...ECHO, efforts: { minimal: "low", medium: "high", xhigh: "max" } },
  },
  ...["api.moonshot.ai", "api.moonshot.cn", "api.kimi.com"].map((host) => ({
    host,
    takes: { ...ECHO, efforts: NO_WORDS, strict: false, cacheKey: true },
  })),
  ...["api.z.ai", "open.bigmodel.cn"].map((host): Row => ({
    host,
    takes: { effortStyle: "thinking", efforts: NO_WORDS },
  })),
  { host: "aliyuncs.com", takes: { effortStyle: "enable" } },
  { host: "googleapis.com", takes: { systemMessages: "first" } },
  { host: "api.anthropic.com", takes: { effortStyle: "none" } },
];

/** What is known of the endpoint behind a base URL, for one model. */
export function knownCapabilities(baseUrl: string, model: string): SomeCapabilities {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname.toLowerCase() : "";
  const name = (model.split("/").at(-1) ?? model).toLowerCase();
  let known: SomeCapabilities = {};
  for (const row of ROWS) {
    if (row.host !== undefined && host !== row.host && !host.endsWith(`.${row.host}`)) continue;
    if (row.model !== undefined && !row.model.test(name)) continue;
    known = joined(known, row.takes);
  }
  return known;
}
