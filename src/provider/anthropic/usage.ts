import { isObject, type JsonObject } from "../../core/json.ts";
import type { Usage } from "../../core/message.ts";
import { cost, type Price } from "../models/models.ts";

function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}

/** What a written cache token costs, in prices of the input: for five minutes, and for an hour. */
const WRITE = 1.25;
/** What a token out of the cache costs, in prices of the input. */
const READ = 0.1;

/** The prices of the cache where nobody says them: the same shares of the input's for every model of this API. */
export function withCachePrices(price: Price): Price {
  return { cacheRead: price.input * READ, cacheWrite: price.input * WRITE, ...price };
}

/**
 * Token counts of a turn, one usage object for each response of it; undefined where none of them counts anything.
 *
 * Unlike elsewhere the input count holds only what no cache had. The counts of several responses are added up, as they are
 * paid.
 */
export function readAnthropicUsage(responses: readonly JsonObject[], price?: Price): Usage | undefined {
  const sum = (key: string): number => responses.reduce((total, usage) => total + count(usage[key]), 0);
  if (!responses.some((usage) => "input_tokens" in usage || "output_tokens" in usage)) return undefined;
  const input = sum("input_tokens");
  const output = sum("output_tokens");
  const cacheRead = sum("cache_read_input_tokens");
  const cacheWrite = sum("cache_creation_input_tokens");
  const thought = responses.reduce(
    (total, { output_tokens_details: details }) => total + (isObject(details) ? count(details.thinking_tokens) : 0),
    0,
  );
  const reasoned = thought > 0 ? { reasoningTokens: thought } : {};
  const usage = {
    ...reasoned,
    input,
    output,
    cacheRead,
    cacheWrite,
    totalTokens: input + output + cacheRead + cacheWrite,
  };
  return price ? { ...usage, cost: cost(usage, price) } : usage;
}
