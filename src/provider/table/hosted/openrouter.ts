import type { ProviderEntry } from "../entry.ts";

/** OpenRouter. */
export default {
  name: "openrouter",
  label: "OpenRouter",
  api: "chat",
  baseUrl: "https://openrouter.ai/api/v1",
  keyEnv: ["OPENROUTER_API_KEY"],
  prices: "server",
  model: "openrouter/auto",
  site: "https://openrouter.ai/settings/keys",
  isCommon: true,
} satisfies ProviderEntry;
