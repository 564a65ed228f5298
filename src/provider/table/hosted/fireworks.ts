import type { ProviderEntry } from "../entry.ts";

/** Fireworks. */
export default {
  name: "fireworks",
  label: "Fireworks",
  api: "chat",
  baseUrl: "https://api.fireworks.ai/inference/v1",
  keyEnv: ["FIREWORKS_API_KEY"],
  model: "accounts/fireworks/models/glm-5p3",
  site: "https://app.fireworks.ai/settings/users/api-keys",
} satisfies ProviderEntry;
