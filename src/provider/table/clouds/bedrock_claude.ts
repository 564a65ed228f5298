import type { ProviderEntry } from "../entry.ts";

/** Claude on Bedrock by its Messages endpoint, with a Bedrock key (0044). */
export default {
  name: "bedrock-claude",
  label: "Claude on Amazon Bedrock",
  api: "anthropic",
  baseUrl: "https://bedrock-mantle.{AWS_REGION|AWS_DEFAULT_REGION}.api.aws/anthropic/v1",
  keyEnv: ["AWS_BEARER_TOKEN_BEDROCK"],
  catalogue: "amazon-bedrock",
  model: "anthropic.claude-sonnet-5-5",
  site: "https://console.aws.amazon.com/bedrock",
} satisfies ProviderEntry;
