import type { Config } from "../../config/config.ts";
import { readVariable } from "../../config/host_environment.ts";
import { UserError } from "../../core/error.ts";
import { type ModelChoice, REPLAY, tableOf } from "../../engine/model/model.ts";
import { DEFAULT_PROVIDER } from "../../provider/table/table.ts";
import { endpointFacts } from "../../engine/model/endpoint_facts.ts";
import type { ModelView, RpcModels } from "./command.ts";

/** The models of a session over RPC. */
export function rpcModels(config: Config, choice: ModelChoice): RpcModels {
  const { settings } = config;
  const table = tableOf(settings);
  return {
    own: Object.keys(settings.models ?? {}).map((key) => ownModel(key, config)),
    async available() {
      const { availableProviders, modelJson } = await import("../../engine/model/available.ts");
      const found = await availableProviders({ settings, variable: readVariable, now: choice, ask: "local" });
      return found.flatMap(({ models }) => models.map(modelJson));
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

/** A model that the settings have data of, under `provider/id` or an id alone. */
function ownModel(key: string, { settings }: Config): ModelView {
  const slash = key.indexOf("/");
  const known = slash < 0 ? undefined : tableOf(settings).get(key.slice(0, slash));
  const entry = known ?? DEFAULT_PROVIDER;
  const id = known ? key.slice(slash + 1) : key;
  const { contextWindow, maxTokens } = endpointFacts({ entry, model: id }, settings);
  return { id, provider: entry.name, contextWindow, maxTokens };
}
