import type { ProviderEntry } from "../entry.ts";

/** xAI. */
export default {
  name: "xai",
  label: "xAI",
  api: "chat",
  baseUrl: "https://api.x.ai/v1",
  keyEnv: ["XAI_API_KEY"],
  models: ["grok-"],
  model: "grok-4.6",
  site: "https://console.x.ai",
} satisfies ProviderEntry;
