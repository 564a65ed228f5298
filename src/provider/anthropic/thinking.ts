// How a model is asked to think. Newer models decide for themselves how much (adaptive), and refuse a budget; older ones want
// a budget; the oldest do not think. A name says which it is; what a server refuses is learned (limits.ts).
import type { OutputConfig, ThinkingConfigParam } from "@anthropic-ai/sdk/resources/messages";
import type { ThinkingLevel } from "../../core/provider.ts";

/** What a model takes to be told how hard to think. */
export interface ThinkingTraits {
  readonly style: "adaptive" | "budget" | "none";
  /** The most that `output_config.effort` knows; absent where the field is not taken. */
  readonly effort?: "high" | "max" | "xhigh";
  /** Whether reasoning has to be asked for to be shown. */
  readonly display?: true;
  /** Whether thinking between calls has to be asked for with a beta header. */
  readonly interleavedBeta?: true;
  /** The server would not have the other style; it is not gone back to. */
  readonly isSwitched?: true;
}

/** The family's version in a model's id (`claude-opus-4-7`, `claude-3-5-sonnet`), as one number; undefined for other names. */
function versionOf(model: string): number | undefined {
  const name = model.toLowerCase().replaceAll(".", "-");
  if (!name.includes("claude")) return undefined;
  // Numbers of more than two digits are dates.
  const match = /claude-(?:[a-z]+-)?(\d{1,2})(?:-(\d{1,2}))?(?!\d)/.exec(name);
  if (match) return Number(match[1]) + Number(match[2] ?? 0) / 10;
  // A name without a number (`claude-mythos-preview`) came after them all.
  return /claude-(?:instant|v?\d)/.test(name) ? 2 : 99;
}

/** What the name of a model says. Other vendors' models behind this API take a budget, or leave it alone. */
export function thinkingTraits(model: string): ThinkingTraits {
  const version = versionOf(model);
  if (version === undefined) return { style: "budget" };
  if (version < 3.7) return { style: "none" };
  if (version < 4) return { style: "budget" };
  if (version < 4.6) {
    const hasEffort = version === 4.5 && model.toLowerCase().includes("opus");
    return { style: "budget", interleavedBeta: true, ...(hasEffort ? { effort: "high" } : {}) };
  }
  return version < 4.7 ? { style: "adaptive", effort: "max" } : { style: "adaptive", effort: "xhigh", display: true };
}

/** Tokens of reasoning, where a budget is wanted. The API takes no less than 1,024. */
const BUDGETS: Readonly<Record<Exclude<ThinkingLevel, "off">, number>> = {
  minimal: 1024,
  low: 4096,
  medium: 10_000,
  high: 20_000,
  xhigh: 32_000,
};

/** How much of an answer a model is to work out. */
export type Effort = NonNullable<OutputConfig["effort"]>;

const EFFORTS: Readonly<Record<Exclude<ThinkingLevel, "off" | "xhigh">, Effort>> = {
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
};

/** The fields of a request that say how hard to think. */
export interface ThinkingFields {
  readonly thinking?: ThinkingConfigParam;
  readonly output_config?: OutputConfig;
}

/** Those fields; none at `off`. A budget leaves at least half of `maxTokens` to the answer. */
export function thinkingFields(level: ThinkingLevel, maxTokens: number, traits: ThinkingTraits): ThinkingFields {
  if (level === "off" || traits.style === "none") return {};
  const most = traits.effort;
  const effort = most === undefined ? {} : { output_config: { effort: level === "xhigh" ? most : EFFORTS[level] } };
  if (traits.style === "adaptive") {
    return { thinking: { type: "adaptive", ...(traits.display ? { display: "summarized" } : {}) }, ...effort };
  }
  const budget = Math.min(BUDGETS[level], Math.floor(maxTokens / 2));
  return budget < 1024 ? effort : { thinking: { type: "enabled", budget_tokens: budget }, ...effort };
}
