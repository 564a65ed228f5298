import type { ProviderEntry } from "../entry.ts";

/** The v1 API of Azure: a model is named by its deployment, a key and a token of Entra go in the same header. */
export default {
  name: "azure",
  label: "Azure OpenAI",
  api: "chat",
  baseUrl: "{AZURE_OPENAI_ENDPOINT}/openai/v1",
  baseUrlEnv: ["AZURE_OPENAI_BASE_URL"],
  keyEnv: ["AZURE_OPENAI_API_KEY"],
  site: "https://portal.azure.com",
} satisfies ProviderEntry;
