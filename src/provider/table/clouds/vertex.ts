import type { ProviderEntry } from "../entry.ts";

/** Vertex AI of one region by its OpenAI-compatible endpoint; a token of gcloud is the key (0044). */
export default {
  name: "vertex",
  label: "Google Vertex AI",
  api: "chat",
  baseUrl:
    "https://{GOOGLE_CLOUD_LOCATION}-aiplatform.googleapis.com/v1/projects/{GOOGLE_CLOUD_PROJECT}/locations/{GOOGLE_CLOUD_LOCATION}/endpoints/openapi",
  keyEnv: [],
  apiKeyCommand: ["gcloud", "auth", "print-access-token"],
  catalogue: "google-vertex",
  model: "google/gemini-3.8-flash",
  site: "https://console.cloud.google.com/vertex-ai",
} satisfies ProviderEntry;
