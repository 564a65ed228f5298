import type { ProviderEntry } from "../entry.ts";

/** Groq. */
export default {
  name: "groq",
  label: "Groq",
  api: "chat",
  baseUrl: "https://api.groq.com/openai/v1",
  keyEnv: ["GROQ_API_KEY"],
  model: "openai/gpt-oss-120b",
  site: "https://console.groq.com/keys",
} satisfies ProviderEntry;
