import type { ProviderEntry } from "../entry.ts";

/** LM Studio. */
export default {
  name: "lmstudio",
  label: "LM Studio",
  api: "chat",
  baseUrl: "http://127.0.0.1:1234/v1",
  keyEnv: ["LM_API_TOKEN"],
  isKeyOptional: true,
  prices: "free",
  isLocal: true,
  site: "https://lmstudio.ai",
} satisfies ProviderEntry;
