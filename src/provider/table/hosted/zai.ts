import type { ProviderEntry } from "../entry.ts";

/** Z.ai. */
export default {
  name: "zai",
  label: "Z.ai",
  api: "chat",
  baseUrl: "https://api.z.ai/api/paas/v4",
  keyEnv: ["ZAI_API_KEY"],
  models: ["glm-"],
  model: "glm-5.3",
  site: "https://z.ai/manage-apikey/apikey-list",
} satisfies ProviderEntry;
