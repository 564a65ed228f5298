import { isObject, type JsonObject } from "../../core/json.ts";
import type { Usage } from "../../core/message.ts";
import { cost, type Price } from "../models/models.ts";

function count(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? Math.round(value) : undefined;
}

function inside(value: unknown, key: string): number | undefined {
  return isObject(value) ? count(value[key]) : undefined;
}

/**
 * What a server says that the request cost, USD (OpenRouter): that is what is paid, whatever a list of prices says. With a
 * key of the user's own at the model's vendor the vendor's part comes on top.
 */
function chargedFor(raw: JsonObject): number | undefined {
  const dollars = (value: unknown): number | undefined =>
    typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
  const charged = dollars(raw.cost);
  if (charged === undefined) return undefined;
  const details = isObject(raw.cost_details) ? raw.cost_details : {};
  return charged + (raw.is_byok === true ? dollars(details.upstream_inference_cost) ?? 0 : 0);
}

/**
 * Token counts from a server's usage object, chat or responses; `undefined` when it holds none.
 *
 * The prompt count includes cached tokens everywhere. Reasoning is inside the output count, except where the total only
 * adds up with it (xAI).
 */
export function readUsage(raw: unknown, price?: Price): Usage | undefined {
  if (!isObject(raw)) return undefined;
  const prompt = count(raw.prompt_tokens) ?? count(raw.input_tokens);
  const completion = count(raw.completion_tokens) ?? count(raw.output_tokens);
  if (prompt === undefined && completion === undefined) return undefined;
  const details = raw.prompt_tokens_details ?? raw.input_tokens_details;
  const cached = inside(details, "cached_tokens") ?? count(raw.prompt_cache_hit_tokens) ?? count(raw.cached_tokens) ??
    count(raw.num_cached_tokens) ?? inside(raw.prompt_token_details, "cached_tokens") ?? 0;
  const cacheWrite = inside(details, "cache_write_tokens") ?? 0;
  const reasoning = inside(raw.completion_tokens_details, "reasoning_tokens") ??
    inside(raw.output_tokens_details, "reasoning_tokens") ?? 0;
  const total = count(raw.total_tokens);
  const isOutside = reasoning > 0 && total === (prompt ?? 0) + (completion ?? 0) + reasoning;
  const output = (completion ?? 0) + (isOutside ? reasoning : 0);
  const input = Math.max(0, (prompt ?? 0) - cached - cacheWrite);
  const reasoned = reasoning > 0 ? { reasoningTokens: reasoning } : {};
  const usage = {
    input,
    output,
    ...reasoned,
    cacheRead: cached,
    cacheWrite,
    totalTokens: input + output + cached + cacheWrite,
  };
  const charged = chargedFor(raw);
  if (!price && charged === undefined) return usage;
  const parts = price ? cost(usage, price) : { input: 0, output: 0, cacheRead: 0, total: 0 };
  return { ...usage, cost: { ...parts, ...(charged === undefined ? {} : { total: charged }) } };
}
