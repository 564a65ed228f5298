import type { Usage } from "../../core/message.ts";
import { CATALOGUE } from "./catalogue.ts";

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
  /** Whether it sees images; absent where that is not known. */
  readonly seesImages?: boolean;
  /** Whether it can think before it answers; absent where that is not known. */
  readonly reasons?: boolean;
  /** Whether these are facts; `false` for the safe default, which a caller should tell a person about. */
  readonly isKnown: boolean;
}

const UNKNOWN: ModelFacts = { contextWindow: 128_000, maxTokens: 16_384, isKnown: false };

/** Providers whose models are their own: a model that is named elsewhere is looked for here. */
const VENDORS = ["openai", "anthropic", "google", "deepseek", "mistral", "xai", "moonshotai", "zai", "minimax", "qwen"];

/**
 * Facts about a model by its id, as `catalogue` has it: a provider's name there, or empty where only the model's own vendor
 * can say something. A vendor's prefix (`openai/…`), a variant (`…:batch`) and a date's suffix do not matter.
 *
 * A price is the provider's own; that of a vendor is taken where no provider is named.
 */
export function modelFacts(id: string, catalogue = ""): ModelFacts {
  const own = rowOf(catalogue, id) ?? rowOf(catalogue, id.toLowerCase());
  if (own) return factsOf(own);
  const bare = (id.split("/").at(-1) ?? id).toLowerCase().replace(/:.*$/, "");
  const dateless = bare.replace(/-\d{4}-\d{2}-\d{2}$|-\d{8}$|-latest$/, "");
  // OpenRouter writes `claude-opus-5.5` where the vendor writes `claude-opus-5-5`, Bedrock `anthropic.claude-opus-5-5`.
  const names = new Set([bare, dateless, dateless.replaceAll(".", "-"), dateless.replace(/^(?:[a-z-]+\.){1,2}/, "")]);
  for (const name of names) {
    for (const vendor of catalogue === "" ? VENDORS : [catalogue, ...VENDORS]) {
      const row = rowOf(vendor, name);
      if (!row) continue;
      const { price, ...facts } = factsOf(row);
      return price && (vendor === catalogue || catalogue === "") ? { ...facts, price } : facts;
    }
  }
  return UNKNOWN;
}

function textOf(catalogue: string): string {
  return Object.hasOwn(CATALOGUE, catalogue) ? CATALOGUE[catalogue] ?? "" : "";
}

/** The words of a model's line. The texts are looked through as they are: a start asks for one model. */
function rowOf(catalogue: string, id: string): readonly string[] | undefined {
  const text = textOf(catalogue);
  const at = /[\s]/.test(id) || id === "" ? -1 : text.indexOf(`\n${id} `);
  return at < 0 ? undefined : text.slice(at + 1, text.indexOf("\n", at + 1)).split(" ");
}

function factsOf([, window, most, abilities = "-", ...prices]: readonly string[]): ModelFacts {
  const [input, output, cacheRead, cacheWrite] = prices.map(number);
  const cached = {
    ...(cacheRead === undefined ? {} : { cacheRead }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
  };
  const contextWindow = number(window) ?? UNKNOWN.contextWindow;
  const longest = number(most) ?? UNKNOWN.maxTokens;
  return {
    contextWindow,
    // Where only the window is told, a request for that much output leaves no room for the prompt.
    maxTokens: longest < contextWindow ? longest : Math.floor(contextWindow / 4),
    seesImages: abilities.includes("i"),
    reasons: abilities.includes("r"),
    isKnown: true,
    ...(input === undefined || output === undefined ? {} : { price: { input, output, ...cached } }),
  };
}

function number(word: string | undefined): number | undefined {
  return word === undefined || word === "-" ? undefined : Number(word);
}

/** The ids of a provider's models in the catalogue, in the order of the alphabet. */
export function catalogueModels(catalogue: string): readonly string[] {
  return textOf(catalogue).split("\n").filter((line) => line !== "").map((line) => line.slice(0, line.indexOf(" ")));
}

/** What tokens cost, USD; written cache tokens count with the input. */
export function cost(usage: Usage, price: Price): NonNullable<Usage["cost"]> {
  const input = (usage.input * price.input + usage.cacheWrite * (price.cacheWrite ?? price.input)) / 1e6;
  const output = usage.output * price.output / 1e6;
  const cacheRead = usage.cacheRead * (price.cacheRead ?? price.input) / 1e6;
  return { input, output, cacheRead, total: input + output + cacheRead };
}
