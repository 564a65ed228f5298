import type { ProviderEntry } from "../entry.ts";

/** Cerebras. */
export default {
  name: "cerebras",
  label: "Cerebras",
  api: "chat",
  baseUrl: "https://api.cerebras.ai/v1",
  keyEnv: ["CEREBRAS_API_KEY"],
  model: "gpt-oss-120b",
  site: "https://cloud.cerebras.ai",
} satisfies ProviderEntry;
