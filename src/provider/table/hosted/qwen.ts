import type { ProviderEntry } from "../entry.ts";

/** Qwen (DashScope). */
export default {
  name: "qwen",
  label: "Qwen (DashScope)",
  api: "chat",
  baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
  keyEnv: ["DASHSCOPE_API_KEY"],
  models: ["qwen"],
  model: "qwen3.8-max",
  site: "https://bailian.console.alibabacloud.com",
} satisfies ProviderEntry;
