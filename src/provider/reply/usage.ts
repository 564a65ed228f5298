import { isObject } from "../../core/json.ts";
import type { Usage } from "../../core/message.ts";
import { cost, type Price } from "../models/models.ts";

function count(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? Math.round(value) : undefined;
}

function inside(value: unknown, key: string): number | undefined {
  return isObject(value) ? count(value[key]) : undefined;
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
  const usage = { input, output, cacheRead: cached, cacheWrite, totalTokens: input + output + cached + cacheWrite };
  return price ? { ...usage, cost: cost(usage, price) } : usage;
}
