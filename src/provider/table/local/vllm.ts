import type { ProviderEntry } from "../entry.ts";

/** vLLM. */
export default {
  name: "vllm",
  label: "vLLM",
  api: "chat",
  baseUrl: "http://127.0.0.1:8000/v1",
  keyEnv: ["VLLM_API_KEY"],
  isKeyOptional: true,
  prices: "free",
  isLocal: true,
  site: "https://docs.vllm.ai",
} satisfies ProviderEntry;
