import type { ProviderEntry } from "../entry.ts";

/** llama.cpp. */
export default {
  name: "llamacpp",
  label: "llama.cpp",
  api: "chat",
  baseUrl: "http://127.0.0.1:8080/v1",
  keyEnv: ["LLAMA_API_KEY"],
  isKeyOptional: true,
  prices: "free",
  isLocal: true,
  site: "https://github.com/ggml-org/llama.cpp",
} satisfies ProviderEntry;
