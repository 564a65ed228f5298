import type { ProviderEntry } from "../entry.ts";

/** Bedrock by its OpenAI-compatible endpoint, with a Bedrock key (0044). */
export default {
  name: "bedrock",
  label: "Amazon Bedrock",
  api: "chat",
  baseUrl: "https://bedrock-runtime.{AWS_REGION|AWS_DEFAULT_REGION}.amazonaws.com/openai/v1",
  baseUrlEnv: ["AWS_BEDROCK_BASE_URL"],
  keyEnv: ["AWS_BEARER_TOKEN_BEDROCK"],
  catalogue: "amazon-bedrock",
  model: "openai.gpt-oss-120b-1:0",
  site: "https://console.aws.amazon.com/bedrock",
} satisfies ProviderEntry;
