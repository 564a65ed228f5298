import type { ProviderEntry } from "../entry.ts";

/** OpenAI. */
export default {
  name: "openai",
  label: "OpenAI",
  api: "chat",
  baseUrl: "https://api.openai.com/v1",
  baseUrlEnv: ["OPENAI_BASE_URL"],
  keyEnv: ["OPENAI_API_KEY"],
  models: ["gpt-", "o1", "o3", "o4", "chatgpt-"],
  model: "gpt-6.1-terra",
  site: "https://platform.openai.com/api-keys",
  isCommon: true,
} satisfies ProviderEntry;
