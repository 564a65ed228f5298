import type { ProviderEntry } from "../entry.ts";

/** DeepSeek. While it is busy it sends comments, for up to half an hour. */
export default {
  name: "deepseek",
  label: "DeepSeek",
  api: "chat",
  baseUrl: "https://api.deepseek.com",
  keyEnv: ["DEEPSEEK_API_KEY"],
  stallMs: 1_800_000,
  models: ["deepseek-"],
  model: "deepseek-v4-pro",
  site: "https://platform.deepseek.com/api_keys",
} satisfies ProviderEntry;
