import type { ServerChoice } from "../../src/engine/model/model.ts";
import { fixedKey, noKey } from "../../src/provider/endpoint/key.ts";

/** A model of the usual provider at an address; the key is in `apiKeyEnv`. */
export function serverChoice(
  { model, baseUrl, apiKey, apiKeyEnv = "OPENAI_API_KEY" }: {
    readonly model: string;
    readonly baseUrl: string;
    readonly apiKey?: string;
    readonly apiKeyEnv?: string;
  },
): ServerChoice {
  const entry = { name: "openai", label: "test", api: "chat", baseUrl, keyEnv: [apiKeyEnv], catalogue: "" } as const;
  const key = apiKey === undefined ? noKey(apiKeyEnv) : fixedKey(apiKey, apiKeyEnv);
  return { kind: "server", endpoint: { entry, baseUrl, model, key } };
}
