import type { Usage } from "../../core/message.ts";
import { KNOWN_MODELS, type ModelRow } from "./known_models.ts";

/** USD per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** The input price where absent. */
  readonly cacheRead?: number;
  /** The input price where absent. */
  readonly cacheWrite?: number;
}

/** What a session needs to know about a model. */
export interface ModelFacts {
  /** Input and output together, tokens. */
  readonly contextWindow: number;
  /** Longest output, tokens. */
  readonly maxTokens: number;
  readonly price?: Price;
  /** Whether these are facts; `false` for the safe default, which a caller should tell a person about. */
  readonly isKnown: boolean;
}

const UNKNOWN: ModelFacts = { contextWindow: 128_000, maxTokens: 16_384, isKnown: false };

function factsOf([contextWindow, maxTokens, input, cacheRead, output]: ModelRow): ModelFacts {
  const facts = { contextWindow, maxTokens, isKnown: true };
  if (input === null || output === null) return facts;
  return { ...facts, price: { input, output, ...(cacheRead === null ? {} : { cacheRead }) } };
}

/** Facts about a model by its id; a vendor's prefix (`openai/…`), a variant (`…:batch`) and a date's suffix do not matter. */
export function modelFacts(id: string): ModelFacts {
  const bare = (id.split("/").at(-1) ?? id).toLowerCase().replace(/:.*$/, "");
  const dateless = bare.replace(/-\d{4}-\d{2}-\d{2}$|-\d{8}$|-latest$/, "");
  // OpenRouter writes `claude-opus-5.5` where the vendor writes `claude-opus-5-5`.
  for (const name of [bare, dateless, dateless.replaceAll(".", "-")]) {
    const row = Object.hasOwn(KNOWN_MODELS, name) ? KNOWN_MODELS[name] : undefined;
    if (row) return factsOf(row);
  }
  return UNKNOWN;
}

/** What tokens cost, USD; written cache tokens count with the input. */
export function cost(usage: Usage, price: Price): NonNullable<Usage["cost"]> {
  const input = (usage.input * price.input + usage.cacheWrite * (price.cacheWrite ?? price.input)) / 1e6;
  const output = usage.output * price.output / 1e6;
  const cacheRead = usage.cacheRead * (price.cacheRead ?? price.input) / 1e6;
  return { input, output, cacheRead, total: input + output + cacheRead };
}
