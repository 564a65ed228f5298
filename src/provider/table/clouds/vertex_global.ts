import type { ProviderEntry } from "../entry.ts";

/** The global endpoint of Vertex AI, which has no region in its name. */
export default {
  name: "vertex-global",
  label: "Google Vertex AI (global)",
  api: "chat",
  baseUrl: "https://aiplatform.googleapis.com/v1/projects/{GOOGLE_CLOUD_PROJECT}/locations/global/endpoints/openapi",
  keyEnv: [],
  apiKeyCommand: ["gcloud", "auth", "print-access-token"],
  catalogue: "google-vertex",
  model: "google/gemini-3.8-flash",
  site: "https://console.cloud.google.com/vertex-ai",
} satisfies ProviderEntry;
