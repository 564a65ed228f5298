/** Context window and longest output in tokens, then USD per million: input, cached input, output; `null` where unknown. */
export type ModelRow = readonly [number, number, number | null, number | null, number | null];

/**
 * Models by the name that their own vendor's API has for them, as their pages said in November 2026.
 *
 * Where a price depends on the hour or on the prompt's length, the dearer hour and the shorter prompt are meant. The
 * `models` setting overrides a row and adds others.
 */
export const KNOWN_MODELS: Readonly<Record<string, ModelRow>> = {
  // OpenAI
  "gpt-6.1-terra": [1_050_000, 128_000, 1, null, 5],
  "gpt-6-sol": [1_050_000, 128_000, 2, null, 10],
  "gpt-6-luna": [1_050_000, 128_000, 0.1, null, 0.5],
  "gpt-5.6-terra": [1_050_000, 128_000, 2, null, 12],
  "gpt-5.5": [1_050_000, 128_000, 5, null, 30],
  "gpt-5.4-nano": [400_000, 128_000, 0.2, 0.02, 1.25],
  "gpt-5": [400_000, 128_000, 1.25, 0.125, 10],
  "gpt-5-mini": [400_000, 128_000, 0.25, 0.025, 2],
  "gpt-5-nano": [400_000, 128_000, 0.05, 0.005, 0.4],
  "gpt-4.1": [1_047_576, 32_768, 2, 0.5, 8],
  "gpt-4o": [128_000, 16_384, 2.5, 1.25, 10],
  // Anthropic; cached input costs a tenth
  "claude-fable-5-2": [1_000_000, 128_000, 8, 0.8, 40],
  "claude-fable-5-1": [1_000_000, 128_000, 10, 1, 50],
  "claude-opus-5-5": [1_000_000, 128_000, 4, 0.4, 20],
  "claude-opus-5": [1_000_000, 128_000, 5, 0.5, 25],
  "claude-opus-4-8": [1_000_000, 128_000, 5, 0.5, 25],
  "claude-sonnet-5-5": [1_000_000, 128_000, 2, 0.2, 10],
  "claude-sonnet-5": [1_000_000, 128_000, 2, 0.2, 10],
  "claude-haiku-5-5": [1_000_000, 128_000, null, null, null],
  "claude-haiku-4-5": [200_000, 64_000, 1, 0.1, 5],
  // Google
  "gemini-3.8-flash": [1_000_000, 65_536, 0.75, null, 3.75],
  "gemini-3.5-flash": [1_048_576, 65_536, 1.5, 0.15, 9],
  "gemini-3.1-pro-preview": [1_048_576, 65_536, 2, 0.2, 12],
  // DeepSeek
  "deepseek-flash": [1_000_000, 384_000, 0.3, 0.006, 1.2],
  "deepseek-v4-flash": [1_000_000, 384_000, 0.3, 0.006, 1.2],
  "deepseek-v4-pro": [1_000_000, 384_000, 1.32, 0.044, 3.96],
  // Alibaba
  "qwen3-max": [262_144, 65_536, 1.2, null, 6],
  "qwen3-coder-plus": [1_000_000, 65_536, null, null, null],
};
