import type { ProviderEntry } from "../entry.ts";

/** Kimi (Moonshot). */
export default {
  name: "kimi",
  label: "Kimi (Moonshot)",
  api: "chat",
  baseUrl: "https://api.moonshot.ai/v1",
  keyEnv: ["MOONSHOT_API_KEY"],
  catalogue: "moonshotai",
  models: ["kimi-"],
  model: "kimi-k3",
  site: "https://platform.moonshot.ai/console/api-keys",
} satisfies ProviderEntry;
