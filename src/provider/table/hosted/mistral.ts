import type { ProviderEntry } from "../entry.ts";

/** Mistral. */
export default {
  name: "mistral",
  label: "Mistral",
  api: "chat",
  baseUrl: "https://api.mistral.ai/v1",
  keyEnv: ["MISTRAL_API_KEY"],
  models: ["mistral-", "codestral-", "devstral-", "magistral-", "ministral-"],
  model: "mistral-large-latest",
  site: "https://console.mistral.ai/api-keys",
} satisfies ProviderEntry;
