import type { Settings } from "../../config/settings/settings_table.ts";
import type { Endpoint } from "../../provider/endpoint/endpoint.ts";
import { catalogueModels } from "../../provider/models/models.ts";
import { DEFAULT_PROVIDER } from "../../provider/table/table.ts";
import type { ProviderEntry } from "../../provider/table/entry.ts";
import { type EndpointFacts, endpointFacts, isFree } from "./endpoint_facts.ts";
import { missingOf, resolveEndpoint, type Variable } from "./resolve_endpoint.ts";
import { type ListedModel, listModels } from "./list_models.ts";
import { type ModelChoice, tableOf } from "./model.ts";

/** A model that can be chosen, with what is known of it. */
export interface AvailableModel extends EndpointFacts {
  /** As `--model` and `/model` take it. */
  readonly name: string;
  readonly provider: string;
  /** As the server calls it. */
  readonly id: string;
}

/** A provider that can be asked, and its models. */
export interface AvailableProvider {
  readonly entry: ProviderEntry;
  readonly baseUrl: string;
  /** A variable or a command; absent where none is wanted. */
  readonly keyFrom?: string;
  /** Whether the list came from the server now; else why not. */
  readonly isListed: boolean;
  readonly why?: string;
  readonly models: readonly AvailableModel[];
}

/** Which providers are meant, and whether they are asked. */
export interface Look {
  readonly settings: Settings;
  readonly variable: Variable;
  /** Whoever answers at the moment, or would: the server of `--base-url` has no other name. */
  readonly now?: ModelChoice | undefined;
  /** One provider alone. */
  readonly only?: string;
  /**
   * Who is asked for its list: `all` of them, those that want no command for a key, or `local` ones and the one at hand
   * alone. A local server that does not answer is left out, unless it is the only one that is meant.
   */
  readonly ask: "all" | "keyed" | "local";
  /** Milliseconds for each list. */
  readonly limitMs?: number;
}

/** The providers that have an address and a key, with their models. All are asked at the same time. Never rejects. */
export async function availableProviders(look: Look): Promise<readonly AvailableProvider[]> {
  const found = await Promise.all(endpointsOf(look).map((endpoint) => availableAt(endpoint, look)));
  return found.filter((provider) => provider !== undefined);
}

/** Endpoints without a model. The one at hand comes first and stands for its provider. */
function endpointsOf({ settings, variable, now, only }: Look): readonly Endpoint[] {
  const hand = now?.kind === "server" ? now.endpoint : undefined;
  const others = [...tableOf(settings).values()].flatMap((entry) => {
    if (entry.name === hand?.entry.name) return [];
    return missingOf(entry, variable) === undefined ? [resolveEndpoint(entry, "", variable)] : [];
  });
  const all = hand ? [{ ...hand, model: "" }, ...others] : others;
  return only === undefined ? all : all.filter(({ entry }) => entry.name === only);
}

async function availableAt(endpoint: Endpoint, look: Look): Promise<AvailableProvider | undefined> {
  const { entry, baseUrl, key } = endpoint;
  const hand = look.now?.kind === "server" ? look.now.endpoint : undefined;
  const isAtHand = hand?.entry.name === entry.name;
  const isMeant = look.only !== undefined || isAtHand;
  // A command may want a person's finger.
  const isKeyHere = !(entry.apiKeyCommand && key.secrets.length === 0);
  const isAsked = look.ask === "all" || (look.ask === "keyed" ? isKeyHere : entry.isLocal || isAtHand && isKeyHere);
  const listing = isAsked ? await listModels(endpoint, look.limitMs) : { why: "it was not asked" };
  const isListed = "models" in listing;
  if (entry.isLocal && !isListed && !isMeant) return undefined;
  const told: readonly ListedModel[] = "models" in listing ? listing.models : [];
  const catalogue = catalogueModels(entry.catalogue ?? entry.name);
  const ids = new Set([
    ...(isListed ? told.map(({ id }) => id) : catalogue),
    ...ownModels(entry, look.settings, endpoint),
    ...(isAtHand && hand.model !== "" ? [hand.model] : []),
  ]);
  const facts = new Map(told.map((one) => [one.id, one]));
  return {
    entry,
    baseUrl,
    ...(key.isKeyless || key.origin === undefined ? {} : { keyFrom: key.origin }),
    isListed,
    ...("why" in listing ? { why: listing.why } : {}),
    models: [...ids].sort().map((id) => ({
      name: modelName(entry, id, look.settings),
      provider: entry.name,
      id,
      ...endpointFacts({ entry, model: id }, look.settings, facts.get(id)),
    })),
  };
}

/** Models that the settings have data of under a provider's name, or under none for the usual server. */
function ownModels({ name }: ProviderEntry, { models = {} }: Settings, { entry }: Endpoint): readonly string[] {
  return Object.keys(models).flatMap((key) => {
    if (key.startsWith(`${name}/`)) return [key.slice(name.length + 1)];
    return entry.name === DEFAULT_PROVIDER.name && !key.includes("/") ? [key] : [];
  });
}

/** A model's name as a choice takes it: one of the usual server needs no provider unless it begins with the name of one. */
export function modelName(entry: Pick<ProviderEntry, "name">, id: string, settings: Settings): string {
  const isPlain = entry.name === DEFAULT_PROVIDER.name && !tableOf(settings).has(id.split("/", 1)[0] ?? "");
  return isPlain && !id.includes("/") ? id : `${entry.name}/${id}`;
}

/** What is known of a model, in a few words, the price first: where a line has to be cut the rest can be missed best. */
export function modelWords(
  { contextWindow, maxTokens, isKnown, isWindowKnown, seesImages, reasons, price }: EndpointFacts,
): string {
  return [
    ...(price ? [isFree(price) ? "free" : `${usd(price.input)}/${usd(price.output)}`] : []),
    ...(isWindowKnown ? [`${tokens(contextWindow)} window`] : []),
    ...(isKnown ? [`${tokens(maxTokens)} output`] : []),
    ...(seesImages ? ["images"] : []),
    ...(reasons ? ["thinks"] : []),
  ].join(" · ");
}

/** USD per million tokens, to a tenth of a cent. */
export function usd(amount: number): string {
  return `$${Math.round(amount * 1000) / 1000}`;
}

/** Tokens in three digits: `128k`, `1.05M`. */
export function tokens(count: number): string {
  if (count >= 1_000_000) return `${Math.round(count / 10_000) / 100}M`;
  return count >= 1000 ? `${Math.round(count / 1000)}k` : String(count);
}

/** A model as programs get it; what is not known is `null`. Tokens; USD per million tokens. */
export interface ModelJson {
  readonly name: string;
  readonly id: string;
  readonly provider: string;
  readonly contextWindow: number | null;
  readonly maxTokens: number | null;
  readonly input: readonly ("text" | "image")[] | null;
  readonly reasoning: boolean | null;
  readonly price: { readonly [K in "input" | "cachedInput" | "cacheWrite" | "output"]: number } | null;
}

/** A model for a program. */
export function modelJson(model: AvailableModel): ModelJson {
  const { name, id, provider, contextWindow, maxTokens, isKnown, isWindowKnown, seesImages, reasons, price } = model;
  return {
    name,
    id,
    provider,
    contextWindow: isWindowKnown ? contextWindow : null,
    maxTokens: isKnown ? maxTokens : null,
    input: seesImages === undefined ? null : seesImages ? ["text", "image"] : ["text"],
    reasoning: reasons ?? null,
    price: price
      ? {
        input: price.input,
        cachedInput: price.cacheRead ?? price.input,
        cacheWrite: price.cacheWrite ?? price.input,
        output: price.output,
      }
      : null,
  };
}
