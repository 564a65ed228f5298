import type { ProviderEntry } from "../entry.ts";

/** Together AI. */
export default {
  name: "together",
  label: "Together AI",
  api: "chat",
  baseUrl: "https://api.together.xyz/v1",
  keyEnv: ["TOGETHER_API_KEY"],
  model: "zai-org/GLM-5.3",
  site: "https://api.together.ai/settings/api-keys",
} satisfies ProviderEntry;
