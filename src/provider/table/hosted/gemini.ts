import type { ProviderEntry } from "../entry.ts";

/** Google Gemini. */
export default {
  name: "gemini",
  label: "Google Gemini",
  api: "chat",
  baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
  keyEnv: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
  catalogue: "google",
  models: ["gemini-"],
  model: "gemini-3.8-flash",
  site: "https://aistudio.google.com/apikey",
  isCommon: true,
} satisfies ProviderEntry;
