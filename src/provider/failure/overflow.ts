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
];

/** A smaller `max_tokens` cures these; a shorter prompt is not what they ask for. */
const NOT_OVERFLOW = /input length and `?max_tokens`? exceed context limit|too many tokens, please wait|rate limit/i;

/** What is known about an error when its kind is asked. */
export interface OverflowFacts {
  readonly status?: number;
  readonly code?: string;
  readonly type?: string;
  readonly message: string;
}

/** Whether an error says that the prompt does not fit. Never for 429, whose texts also speak of tokens. */
export function isOverflow({ status, code, type, message }: OverflowFacts): boolean {
  if (status === 429) return false;
  if (status === 413 || CODES.has(code ?? "") || CODES.has(type ?? "")) return true;
  return !NOT_OVERFLOW.test(message) && TEXTS.some((text) => text.test(message));
}
