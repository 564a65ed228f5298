import type { ProviderEntry } from "../entry.ts";

/** GitHub Models; its token needs the permission `models: read`. */
export default {
  name: "github",
  label: "GitHub Models",
  api: "chat",
  baseUrl: "https://models.github.ai/inference",
  isSharedKey: true,
  keyEnv: ["GITHUB_TOKEN"],
  prices: "free",
  model: "openai/gpt-4.1",
  site: "https://github.com/settings/personal-access-tokens",
} satisfies ProviderEntry;
