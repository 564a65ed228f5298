// What differs between servers in what they accept. Chosen by the parsed host name and its suffix, never by a part of the
// URL's text. Whatever is not known here gets only what every server takes.

/** What one server accepts. */
export interface ServerProfile {
  readonly maxField: "max_tokens" | "max_completion_tokens";
  /** Whether `prompt_cache_key` is known. */
  readonly cacheKey: boolean;
  /** `mistral9`: nine letters and digits. `max40`: at most 40 characters. */
  readonly callId: "keep" | "mistral9" | "max40";
  /** How reasoning effort is asked for. */
  readonly thinking: "effort" | "openrouter" | "none";
  /** Whether reasoning goes back under the name it came in. */
  readonly reasoningBack: boolean;
}

const UNKNOWN: ServerProfile = {
  maxField: "max_tokens",
  cacheKey: false,
  callId: "keep",
  thinking: "effort",
  reasoningBack: true,
};

const OPENAI: ServerProfile = { ...UNKNOWN, maxField: "max_completion_tokens", cacheKey: true, callId: "max40" };
const COMPLETION: ServerProfile = { ...UNKNOWN, maxField: "max_completion_tokens" };

const BY_SUFFIX: readonly (readonly [string, ServerProfile])[] = [
  ["api.openai.com", OPENAI],
  ["openai.azure.com", OPENAI],
  ["cognitiveservices.azure.com", OPENAI],
  ["openrouter.ai", { ...COMPLETION, thinking: "openrouter" }],
  ["api.mistral.ai", { ...UNKNOWN, callId: "mistral9", thinking: "none", reasoningBack: false }],
  ["api.groq.com", COMPLETION],
  ["api.x.ai", COMPLETION],
  ["api.cerebras.ai", COMPLETION],
  ["api.fireworks.ai", COMPLETION],
  ["api.anthropic.com", { ...UNKNOWN, thinking: "none" }],
];

/** The profile of the server behind a base URL. */
export function profileOf(baseUrl: string): ServerProfile {
  if (!URL.canParse(baseUrl)) return UNKNOWN;
  const name = new URL(baseUrl).hostname.toLowerCase();
  return BY_SUFFIX.find(([suffix]) => name === suffix || name.endsWith(`.${suffix}`))?.[1] ?? UNKNOWN;
}
