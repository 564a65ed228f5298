import type { ProviderEntry } from "../entry.ts";

/** The subscription of Z.ai, under the same key: nothing is paid for each token. */
export default {
  name: "zai-coding",
  label: "Z.ai Coding Plan",
  api: "chat",
  baseUrl: "https://api.z.ai/api/coding/paas/v4",
  keyEnv: ["ZAI_API_KEY"],
  catalogue: "zai",
  prices: "free",
  model: "glm-5.3",
  site: "https://z.ai/manage-apikey/apikey-list",
} satisfies ProviderEntry;
