import type { ProviderEntry } from "../entry.ts";

/** Anthropic. */
export default {
  name: "anthropic",
  label: "Anthropic",
  api: "anthropic",
  baseUrl: "https://api.anthropic.com/v1",
  keyEnv: ["ANTHROPIC_API_KEY"],
  keyHeader: "x-api-key",
  models: ["claude-"],
  model: "claude-sonnet-5-5",
  site: "https://console.anthropic.com/settings/keys",
  isCommon: true,
} satisfies ProviderEntry;
