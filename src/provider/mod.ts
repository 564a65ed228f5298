import { UserError } from "../core/error.ts";
import type { Provider } from "../core/provider.ts";
import type { Connection } from "./endpoint/connection.ts";

/** What a provider is opened with. */
export type ProviderConfig = Partial<Connection>;

const OPENERS: Readonly<Record<string, (config: ProviderConfig) => Promise<Provider>>> = {
  chat: async (config) => (await import("./openai/chat.ts")).openChat(connectionOf(config)),
  responses: async (config) => (await import("./openai/responses.ts")).openResponses(connectionOf(config)),
  anthropic: async (config) => (await import("./anthropic/anthropic.ts")).openAnthropic(connectionOf(config)),
};

function connectionOf(config: ProviderConfig): Connection {
  const { baseUrl = "https://api.openai.com/v1", apiKey = "", model } = config;
  if (model === undefined || model === "") {
    throw new UserError({
      what: "Cannot choose a model",
      why: "no model is set",
      fix: 'Name one with --model or with the setting "model"',
    });
  }
  if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol)) {
    throw new UserError({
      what: `Cannot use base URL "${baseUrl}"`,
      why: "it is not an http or https address",
      fix: "Give --base-url (or OPENAI_BASE_URL) a full address, for example http://127.0.0.1:8080/v1",
    });
  }
  return { ...config, baseUrl, apiKey, model };
}

/** Opens a provider by the name of its API: `chat`, `responses` or `anthropic`. Nothing is connected yet. Throws UserError. */
export async function openProvider(api: string, config: ProviderConfig): Promise<Provider> {
  const open = Object.hasOwn(OPENERS, api) ? OPENERS[api] : undefined;
  if (open) return await open(config);
  throw new UserError({
    what: `Cannot use the API "${api}"`,
    why: `known are ${Object.keys(OPENERS).join(", ")}`,
    fix: "Choose --api chat or --api responses, or --model replay:FILE",
  });
}
