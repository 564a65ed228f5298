import type { ProviderEntry } from "../entry.ts";

/** MiniMax. */
export default {
  name: "minimax",
  label: "MiniMax",
  api: "chat",
  baseUrl: "https://api.minimax.io/v1",
  keyEnv: ["MINIMAX_API_KEY"],
  models: ["MiniMax-"],
  model: "MiniMax-M3",
  site: "https://platform.minimax.io",
} satisfies ProviderEntry;
