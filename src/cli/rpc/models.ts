import type { Config } from "../../config/config.ts";
import { readVariable } from "../../config/host_environment.ts";
import { UserError } from "../../core/error.ts";
import { type ModelChoice, REPLAY, tableOf } from "../../engine/model/model.ts";
import { DEFAULT_PROVIDER } from "../../provider/table/table.ts";
import { attempt } from "../../core/support/attempt.ts";
import { modelName } from "../../engine/model/available.ts";
import { type EndpointFacts, endpointFacts } from "../../engine/model/endpoint_facts.ts";
import { resolveEndpoint } from "../../engine/model/resolve_endpoint.ts";
import type { ProviderApi, ProviderEntry } from "../../provider/table/entry.ts";
import type { ModelView, PiModel, RpcModels } from "./command.ts";

/** The models of a session over RPC. */
export function rpcModels(config: Config, choice: ModelChoice): RpcModels {
  const { settings } = config;
  const table = tableOf(settings);
  return {
    own: Object.keys(settings.models ?? {}).map((key) => ownModel(key, config)),
    async available() {
      const { availableProviders, modelJson } = await import("../../engine/model/available.ts");
      const found = await availableProviders({ settings, variable: readVariable, now: choice, ask: "local" });
      return found.flatMap(({ entry, baseUrl, models }) =>
        models.map((model) => ({ ...modelJson(model), ...piModel(model, entry, baseUrl) }))
      );
    },
    full(model) {
      const { provider, id } = model;
      const hand = choice.kind === "server" ? choice.endpoint : undefined;
      const entry = table.get(provider);
      if (!entry) return { ...model, ...piModel({ ...model, ...UNKNOWN }, { api: "chat" }, "") };
      const facts = endpointFacts({ entry, model: id }, settings);
      const own = hand?.entry.name === provider ? hand.baseUrl : undefined;
      // Without a key it has no endpoint, but an address.
      const baseUrl = own ?? attempt(() => resolveEndpoint(entry, id, readVariable).baseUrl) ?? entry.baseUrl;
      const name = modelName(entry, id, settings);
      return {
        ...model,
        ...piModel({ ...facts, contextWindow: model.contextWindow || facts.contextWindow, name }, entry, baseUrl),
      };
    },
    nameOf(provider, id) {
      // A model's own name may begin with that of a provider.
      if (table.has(provider)) return `${provider}/${id}`;
      if (provider === REPLAY) return id.startsWith("replay:") ? id : `replay:${id}`;
      throw new UserError({
        what: `There is no provider "${provider.slice(0, 100)}"`,
        why: `they are ${[...table.keys(), REPLAY].join(", ")}`,
        fix: "Take provider and id from get_available_models, or leave the provider out",
      });
    },
  };
}

/** pi's names for the protocols. */
const PI_APIS: Readonly<Record<ProviderApi, string>> = {
  chat: "openai-completions",
  responses: "openai-responses",
  anthropic: "anthropic-messages",
};

const UNKNOWN = { maxTokens: 0 };

/** What pi's clients read of a model. What is not known is what sandpiper assumes. Prices: USD per million tokens. */
function piModel(
  { name, contextWindow, maxTokens, seesImages, reasons, price }:
    & Pick<EndpointFacts, "contextWindow" | "maxTokens">
    & Partial<Pick<EndpointFacts, "seesImages" | "reasons" | "price">>
    & { readonly name?: string },
  { api }: Pick<ProviderEntry, "api">,
  baseUrl: string,
): Omit<PiModel, "id" | "provider"> {
  const { input = 0, output = 0, cacheRead = input, cacheWrite = input } = price ?? {};
  return {
    ...(name === undefined ? {} : { name }),
    api: PI_APIS[api],
    baseUrl,
    reasoning: reasons ?? false,
    input: seesImages ? ["text", "image"] : ["text"],
    cost: { input, output, cacheRead, cacheWrite },
    contextWindow,
    maxTokens,
  };
}

/** A model that the settings have data of, under `provider/id` or an id alone. */
function ownModel(key: string, { settings }: Config): ModelView {
  const slash = key.indexOf("/");
  const known = slash < 0 ? undefined : tableOf(settings).get(key.slice(0, slash));
  const entry = known ?? DEFAULT_PROVIDER;
  const id = known ? key.slice(slash + 1) : key;
  const { contextWindow, maxTokens } = endpointFacts({ entry, model: id }, settings);
  return { id, provider: entry.name, contextWindow, maxTokens };
}
