// Servers have no common code for "the prompt is too long": most send a plain 400, some an error inside a 200. Structured
// fields are looked at first; this is the only table of texts, one line per family of servers.

const CODES: ReadonlySet<string> = new Set([
  "context_length_exceeded", // OpenAI, Azure, OpenRouter
  "exceed_context_size_error", // llama.cpp
  "request_too_large", // Anthropic
  "model_context_window_exceeded", // Z.ai
  "string_above_max_length",
  "1261", // Z.ai
]);

const TEXTS: readonly RegExp[] = [
  /maximum context length/i, // OpenAI, vLLM, DeepSeek, OpenRouter
  /exceeds? the (?:model'?s? )?(?:context window|context length|maximum context)/i, // OpenAI, Z.ai
  /context (?:window|length|size)(?: has been)? exceed/i, // LM Studio
  /(?:exceeds?|greater than|longer than) (?:the |the available |the model'?s )?context/i, // llama.cpp, LM Studio, Together
  /context (?:window|length) exceeds? limit/i, // MiniMax
  /(?:first|keep) (?:the )?(?:first )?\d+ tokens when context the overflows/i, // LM Studio
  /prompt (?:is )?too long/i, // Anthropic, Ollama, Z.ai
  /prompt exceeds max length/i, // Z.ai
  /tokens in request more than max tokens allowed/i, // Z.ai
  /input token count .{0,40}exceeds the maximum/i, // Gemini
  /maximum prompt length is \d+/i, // xAI
  /too large for model with \d+ maximum context/i, // Mistral
  /exceeded model token limit/i, // Moonshot
  /prompt token count of \d+ exceeds the limit/i, // Copilot
  /range of input length should be/i, // DashScope
  /reduce the length of the messages/i, // Groq, OpenAI
  /max_tokens must be at least 1, got -/i, // vLLM: nothing is left for the answer
  /input is too long for (?:the )?requested model/i, // Bedrock
  /number of input tokens exceeds/i, // Bedrock: Titan, Nova
  /exceeds? (?:the )?max(?:imum)? (?:input|prompt|sequence) length/i, // Perplexity
  /too many tokens: (?:the )?(?:total number of tokens|size limit exceeded)/i, // Cohere
  /total number of tokens (?:in the prompt|\(prompt and prediction\)) cannot exceed/i, // Cohere
  /`?inputs`? tokens \+ `?max_new_tokens`? must be <=/i, // TGI, Together
  /`?inputs`? must have less than \d+ tokens/i, // TGI
  /input token count (?:is|of) \d+ but (?:the )?model only supports/i, // Vertex
  /request (?:contains|has) \d+ input tokens.{0,40}(?:maximum|limit)/i, // Vertex: partner models
];

/** A smaller `max_tokens` cures these; a shorter prompt is not what they ask for. */
const NOT_OVERFLOW = /input length and `?max_tokens`? exceed context limit|too many tokens, please wait|rate limit/i;

/** Where such texts name the window, or the longest prompt, which comes close to it. */
const WINDOWS: readonly RegExp[] = [
  /context (?:length|window|size) (?:is|of) (?:only )?(\d+)/i,
  /available context size \((\d+) tokens?\)/i,
  /context length \((\d+) tokens?\)/i,
  /maximum number of tokens allowed \((\d+)\)/i,
  /maximum (?:prompt|input) length (?:is )?(\d+)/i,
  /model with (\d+) maximum context/i,
  /model token limit: (\d+)/i,
  /token count of \d+ exceeds the limit of (\d+)/i,
  /\d+ tokens > (\d+) maximum/i,
  /context limit: \d+ \+ \d+ > (\d+)/i,
  /input length should be \[1, (\d+)\]/i,
  /max_new_tokens`? must be <= (\d+)/i,
  /must have less than (\d+) tokens/i,
  /only supports up to (\d+)/i,
  /cannot exceed (\d+)/i,
  /maximum context length (\d+)/i,
];

/** Smaller and larger numbers are no windows of anything that could answer. */
const [LEAST_WINDOW, MOST_WINDOW] = [512, 1e8];

/** The window that an error names, tokens; `undefined` where it names none. */
export function windowIn(
  { message, contextWindow }: Pick<OverflowFacts, "message" | "contextWindow">,
): number | undefined {
  const texts = WINDOWS.map((pattern) => pattern.exec(message.replaceAll(/(?<=\d)[,_](?=\d{3})/g, ""))?.[1]);
  const named = contextWindow ?? Number(texts.find((text) => text !== undefined));
  return named >= LEAST_WINDOW && named <= MOST_WINDOW ? named : undefined;
}

/** How much of the window is left for the reply. */
const ROOMS: readonly { readonly pattern: RegExp; readonly window: number; readonly prompt: number }[] = [
  {
    pattern: /context length is (\d+) tokens.{0,80}\((\d+) in the messages, \d+ in the completion\)/is,
    window: 1,
    prompt: 2,
  },
  { pattern: /context length is (\d+) tokens and your request has (\d+) input tokens/i, window: 1, prompt: 2 },
  {
    pattern: /context length of (\d+) tokens\. you requested a total of \d+ tokens: (\d+) tokens from the input/i,
    window: 1,
    prompt: 2,
  }, // SGLang
  { pattern: /exceed context limit: (\d+) \+ \d+ > (\d+)/i, window: 2, prompt: 1 },
  { pattern: /max_new_tokens`? must be <= (\d+)\. given: (\d+) `?inputs/i, window: 1, prompt: 2 },
];

/** A reply needs this many tokens at least; with fewer left the prompt is what has to be shortened. */
const LEAST_ROOM = 1024;

/** A few tokens that servers count beside the messages. */
const SPARE = 16;

/**
 * How long a reply may be where an error says that prompt and reply do not fit together, tokens; `undefined` where it does
 * not say so, or where there is too little room.
 */
export function roomIn(message: string): { readonly maxTokens: number; readonly contextWindow: number } | undefined {
  for (const { pattern, ...at } of ROOMS) {
    const found = pattern.exec(message);
    if (!found) continue;
    const contextWindow = Number(found[at.window]);
    const maxTokens = contextWindow - Number(found[at.prompt]) - SPARE;
    return maxTokens >= LEAST_ROOM ? { maxTokens, contextWindow } : undefined;
  }
  return undefined;
}

/** What is known about an error when its kind is asked. */
export interface OverflowFacts {
  readonly status?: number;
  readonly code?: string;
  readonly type?: string;
  readonly message: string;
  /** In a field of its own (llama.cpp). */
  readonly contextWindow?: number;
}

/** Whether an error says that the prompt does not fit. Never for 429, whose texts also speak of tokens. */
export function isOverflow({ status, code, type, message }: OverflowFacts): boolean {
  if (status === 429) return false;
  if (status === 413 || CODES.has(code ?? "") || CODES.has(type ?? "")) return true;
  return !NOT_OVERFLOW.test(message) && TEXTS.some((text) => text.test(message));
}
