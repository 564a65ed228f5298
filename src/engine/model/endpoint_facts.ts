import type { Settings } from "../../config/settings/settings_table.ts";
import type { SomeCapabilities } from "../../provider/capabilities/capabilities.ts";
import type { Endpoint } from "../../provider/endpoint/endpoint.ts";
import { type ModelFacts, modelFacts, type Price } from "../../provider/models/models.ts";
import type { ProviderEntry } from "../../provider/table/entry.ts";

/** What is known of a model at an endpoint: the settings first, then what its server told, then the catalogue. */
export interface EndpointFacts extends ModelFacts {
  /** Whether the window is a fact. */
  readonly isWindowKnown: boolean;
  /** Whether the settings have data of it. */
  readonly isSet: boolean;
  /** What the settings say of what it takes. */
  readonly takes: SomeCapabilities;
  /** What the catalogue or the server says of it: a refusal knows better. */
  readonly known: SomeCapabilities;
}

/** What a server tells of one of its models; what it does not tell is absent. */
export interface ToldFacts {
  /** Tokens. */
  readonly contextWindow?: number;
  /** Tokens. */
  readonly maxTokens?: number;
  readonly seesImages?: boolean;
  readonly reasons?: boolean;
  /** USD per million tokens. */
  readonly price?: { readonly input: number; readonly output: number; readonly cachedInput?: number };
}

const FREE: Price = { input: 0, output: 0 };

/** What is known of a model. In settings `provider/id` goes before the id alone. */
export function endpointFacts(
  { entry, model }: Pick<Endpoint, "entry" | "model">,
  { models = {} }: Pick<Settings, "models">,
  told: ToldFacts = {},
): EndpointFacts {
  const known = modelFacts(model, entry.catalogue ?? entry.name);
  const own = models[`${entry.name}/${model}`] ?? models[model];
  const seesImages = own?.input?.includes("image") ?? told.seesImages ?? known.seesImages;
  const reasons = own?.reasoning ?? told.reasons ?? known.reasons;
  const price = own?.price ? fromSettings(own.price) : priceOf(entry, told, known.price);
  return {
    contextWindow: own?.contextWindow ?? told.contextWindow ?? known.contextWindow,
    maxTokens: own?.maxTokens ?? told.maxTokens ?? known.maxTokens,
    ...(price ? { price } : {}),
    ...(seesImages === undefined ? {} : { seesImages }),
    ...(reasons === undefined ? {} : { reasons }),
    isKnown: known.isKnown || own?.maxTokens !== undefined || told.maxTokens !== undefined,
    isWindowKnown: known.isKnown || (own?.contextWindow ?? told.contextWindow) !== undefined,
    isSet: own !== undefined,
    takes: {
      ...own?.capabilities,
      ...(own?.input ? { images: own.input.includes("image") } : {}),
      ...(own?.reasoning === false ? { effortStyle: "none" } : {}),
      ...(own?.contextWindow === undefined ? {} : { contextWindow: own.contextWindow }),
      ...(own?.maxTokens === undefined ? {} : { maxTokens: own.maxTokens }),
    },
    known: {
      ...(seesImages === undefined ? {} : { images: seesImages }),
      ...(reasons === false ? { effortStyle: "none" } : {}),
    },
  };
}

/** Whether no token is paid for. */
export function isFree({ input, output }: Price): boolean {
  return input === 0 && output === 0;
}

function priceOf(entry: ProviderEntry, { price }: ToldFacts, known: Price | undefined): Price | undefined {
  if (entry.prices === "free") return FREE;
  return price ? fromSettings(price) : known;
}

type WrittenPrice = { readonly [K in "input" | "output" | "cachedInput" | "cacheWrite"]?: number };

/** What is not written is left to whoever counts: what a cache costs depends on the API. */
function fromSettings({ input = 0, output = 0, cachedInput, cacheWrite }: WrittenPrice): Price {
  return {
    input,
    output,
    ...(cachedInput === undefined ? {} : { cacheRead: cachedInput }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
  };
}
