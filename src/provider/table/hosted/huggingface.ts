import type { ProviderEntry } from "../entry.ts";

/** Hugging Face. */
export default {
  name: "huggingface",
  label: "Hugging Face",
  api: "chat",
  baseUrl: "https://router.huggingface.co/v1",
  isSharedKey: true,
  keyEnv: ["HF_TOKEN"],
  model: "zai-org/GLM-5.2",
  site: "https://huggingface.co/settings/tokens",
} satisfies ProviderEntry;
