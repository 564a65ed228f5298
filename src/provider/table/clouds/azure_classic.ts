import type { ProviderEntry } from "../entry.ts";

/** The older API of Azure, with the deployment in the path and a version in the query. */
export default {
  name: "azure-classic",
  label: "Azure OpenAI (api-version)",
  api: "chat",
  baseUrl: "{AZURE_OPENAI_ENDPOINT}/openai/deployments/{model}",
  keyEnv: ["AZURE_OPENAI_API_KEY"],
  keyHeader: "api-key",
  query: { "api-version": "2024-10-21" },
  catalogue: "azure",
  site: "https://portal.azure.com",
} satisfies ProviderEntry;
