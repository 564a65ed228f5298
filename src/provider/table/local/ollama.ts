import type { ProviderEntry } from "../entry.ts";

/** Ollama. */
export default {
  name: "ollama",
  label: "Ollama",
  api: "chat",
  baseUrl: "http://127.0.0.1:11434/v1",
  keyEnv: [],
  isKeyOptional: true,
  prices: "free",
  isLocal: true,
  hasTags: true,
  site: "https://ollama.com/download",
  isCommon: true,
} satisfies ProviderEntry;
