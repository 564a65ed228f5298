import { isObject } from "../../core/json.ts";
import { THINKING_LEVELS, type ThinkingLevel } from "../../core/provider.ts";

/**
 * How reasoning is asked for: `effort` is `reasoning_effort`, `reasoning` OpenRouter's object, `thinking` an object with a
 * `type` (DeepSeek, Kimi, Z.ai), `enable` Qwen's `enable_thinking`, `template` the same word as an argument of a chat
 * template (vLLM, SGLang), `none` not at all.
 */
export type EffortStyle = "effort" | "reasoning" | "thinking" | "enable" | "template" | "none";

/** Words of the Messages API's `output_config.effort` that may be the strongest which a model knows; `none`: it knows none. */
export const MOST_EFFORTS = ["high", "max", "xhigh", "none"] as const;

/** What an endpoint takes for one of its models. Every field has a word of `docs/providers.md`. */
export interface Capabilities {
  /** Another API than the one that was asked for answers this model. */
  readonly api?: "chat" | "responses";
  /** Whether the system prompt has the role `developer`. */
  readonly developerRole: boolean;
  /** The field of the output limit; `none`: it takes neither. */
  readonly maxTokensField: "max_tokens" | "max_completion_tokens" | "none";
  /** Whether `stream_options` is taken, without which most servers count no tokens. */
  readonly streamOptions: boolean;
  /** Whether tools may carry `strict` (Responses, where it is on unless told otherwise). */
  readonly strict: boolean;
  /** Whether `parallel_tool_calls` is sent, so that several calls come in one reply. */
  readonly parallelToolCalls: boolean;
  readonly effortStyle: EffortStyle;
  /** The word for a level of thinking, where it is not the level's own; `null`: no word is sent. */
  readonly efforts: { readonly [level in ThinkingLevel]?: string | null };
  /** Where system messages may stand; `none`: what they say opens the first user message. */
  readonly systemMessages: "anywhere" | "first" | "none";
  /** Whether user and assistant must take turns: neighbouring messages of one role are joined. */
  readonly alternation: boolean;
  /** Whether a user message may follow a tool's result; else a word of the assistant stands between them. */
  readonly userAfterTool: boolean;
  /** Whether a message with calls and without text may have `null` as its content. */
  readonly nullContent: boolean;
  /** Whether results bear the tool's name. */
  readonly resultNames: boolean;
  /** Whether the model sees images. */
  readonly images: boolean;
  /** Whether images may stand in a tool's result; else in a user message behind the results. */
  readonly imagesInResults: boolean;
  /** Whether `prompt_cache_key` is taken. */
  readonly cacheKey: boolean;
  /** Whether parts of a message may carry Anthropic's `cache_control`. */
  readonly cacheControl: boolean;
  /** Whether `include` may ask for encrypted reasoning (Responses). */
  readonly encryptedReasoning: boolean;
  /** Which of the assistant's messages carry their reasoning back. */
  readonly reasoningEcho: "never" | "calls" | "always";
  /** Its field; absent: the one in which it came. With a name here each such message has it, also one of another server. */
  readonly reasoningField?: "reasoning_content" | "reasoning";
  /** `mistral9`: nine letters and digits. `max40`: at most 40 characters. */
  readonly callIds: "keep" | "mistral9" | "max40";
  /** How a reply is held to a JSON Schema: `schema` by the API's field for it, `tool` by a forced call, `none` not at all. */
  readonly answerFormat: "schema" | "tool" | "none";
  /** Messages API: how thinking is asked for, where it is another way than the model's name says. */
  readonly thinkingStyle?: "adaptive" | "budget" | "none";
  /** Messages API: the strongest word that `output_config.effort` knows; `none`: the field is not sent. */
  readonly mostEffort?: typeof MOST_EFFORTS[number];
  /** Messages API: whether reasoning may be asked to be shown (`thinking.display`). */
  readonly thinkingDisplay?: boolean;
  /** Messages API: whether the arguments of calls may be asked for piece by piece (`eager_input_streaming`). */
  readonly eagerInput?: boolean;
  /** Input and output together, tokens. */
  readonly contextWindow?: number;
  /** Longest output, tokens. */
  readonly maxTokens?: number;
}

/** Some of what an endpoint takes: what a row of a table, a settings file or a refusal says. */
export type SomeCapabilities = Partial<Capabilities>;

/** What nearly every server takes, and nothing that only some do. */
const DEFAULTS: Capabilities = {
  developerRole: false,
  maxTokensField: "max_tokens",
  streamOptions: true,
  strict: true,
  parallelToolCalls: false,
  effortStyle: "effort",
  efforts: { minimal: "low", xhigh: "high" },
  systemMessages: "anywhere",
  alternation: false,
  userAfterTool: true,
  nullContent: true,
  resultNames: false,
  images: true,
  imagesInResults: false,
  cacheKey: false,
  cacheControl: false,
  encryptedReasoning: false,
  reasoningEcho: "calls",
  callIds: "keep",
  answerFormat: "schema",
};

/** One set out of several, later ones winning; words of effort one by one. */
export function combined(...parts: readonly (SomeCapabilities | undefined)[]): Capabilities {
  return parts.reduce<Capabilities>((all, part) => part ? joined(all, part) : all, DEFAULTS);
}

/** Two sets as one, the later one winning; words of effort one by one. */
export function joined<T extends SomeCapabilities>(all: T, part: SomeCapabilities): T {
  return { ...all, ...part, ...(part.efforts ? { efforts: { ...all.efforts, ...part.efforts } } : {}) };
}

/** What was learned of one endpoint for one model, over runs. Neither method throws. */
export interface CapabilityMemory {
  /** Read when it is first asked for. */
  readonly recall: () => SomeCapabilities;
  /** Adds to it. */
  readonly remember: (change: SomeCapabilities) => void;
  /** What went wrong since this was last asked, a sentence each. */
  readonly warnings: () => readonly string[];
}

/** Whether two sets say the same. */
export function isSame(one: Capabilities, other: Capabilities): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]) as Set<keyof Capabilities>;
  return [...names].every((name) =>
    one[name] === other[name] || JSON.stringify(one[name]) === JSON.stringify(other[name])
  );
}

const isCount = (value: unknown): boolean => typeof value === "number" && Number.isInteger(value) && value > 0;
const isClaim = (value: unknown): boolean => typeof value === "boolean";
const oneOf = (...words: readonly string[]) => (value: unknown): boolean =>
  typeof value === "string" && words.includes(value);

/** What is no claim that holds or does not. */
const SPECIAL: { readonly [Name in keyof Capabilities]?: (value: unknown) => boolean } = {
  api: oneOf("chat", "responses"),
  maxTokensField: oneOf("max_tokens", "max_completion_tokens", "none"),
  effortStyle: oneOf("effort", "reasoning", "thinking", "enable", "template", "none"),
  efforts: (value) =>
    isObject(value) &&
    Object.entries(value).every(([level, word]) =>
      THINKING_LEVELS.some((known) => known === level) &&
      (word === null || (typeof word === "string" && word.length < 40))
    ),
  systemMessages: oneOf("anywhere", "first", "none"),
  reasoningEcho: oneOf("never", "calls", "always"),
  reasoningField: oneOf("reasoning_content", "reasoning"),
  answerFormat: oneOf("schema", "tool", "none"),
  callIds: oneOf("keep", "mistral9", "max40"),
  thinkingStyle: oneOf("adaptive", "budget", "none"),
  mostEffort: oneOf(...MOST_EFFORTS),
  thinkingDisplay: isClaim,
  eagerInput: isClaim,
  contextWindow: isCount,
  maxTokens: isCount,
};

/** What fits of a value that comes from a file; `undefined` where something in it does not. */
export function readCapabilities(value: unknown): SomeCapabilities | undefined {
  if (!isObject(value)) return undefined;
  const fits = Object.entries(value).every(([name, one]) => {
    const special = Object.hasOwn(SPECIAL, name) ? SPECIAL[name as keyof Capabilities] : undefined;
    return special ? special(one) : Object.hasOwn(DEFAULTS, name) && typeof one === "boolean";
  });
  // Each name was looked at.
  return fits ? value as SomeCapabilities : undefined;
}
