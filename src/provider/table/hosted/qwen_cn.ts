import type { ProviderEntry } from "../entry.ts";

/** Qwen (DashScope, China). */
export default {
  name: "qwen-cn",
  label: "Qwen (DashScope, China)",
  api: "chat",
  baseUrl: "https://dashscope.aliyuncs.com/compatible-mode/v1",
  keyEnv: ["DASHSCOPE_API_KEY"],
  catalogue: "qwen",
  model: "qwen3.8-max",
  site: "https://bailian.console.aliyun.com",
} satisfies ProviderEntry;
