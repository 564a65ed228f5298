import type { ProviderEntry } from "../entry.ts";

/** Kimi for Coding. */
export default {
  name: "kimi-coding",
  label: "Kimi for Coding",
  api: "chat",
  baseUrl: "https://api.kimi.com/coding/v1",
  keyEnv: ["KIMI_API_KEY"],
  model: "kimi-for-coding",
  site: "https://www.kimi.com/code",
} satisfies ProviderEntry;
