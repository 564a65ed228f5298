import type { AgentDeps } from "../agent/deps.ts";
import { THINKING_LEVELS, type ThinkingLevel } from "../core/provider.ts";
import { WINDOW_DEFAULTS, type WindowSettings } from "../history/window.ts";
import type { Config } from "./config.ts";

/** Bounds of a run: the command line before the settings. */
export function runLimitsOf(config: Config): AgentDeps["limits"] {
  const { values } = config.invocation;
  const flags = {
    maxTurns: values["max-turns"],
    timeoutMs: values["timeout"],
    maxTokensTotal: values["max-tokens-total"],
    maxCostUsd: values["max-cost"],
  };
  const given = Object.entries(flags).filter(([, value]) => typeof value === "number");
  return { identicalCalls: 3, ...config.settings.limits, ...Object.fromEntries(given) };
}

/** Reasoning effort: the command line, what a resumed session was left with, the settings. */
export function thinkingOf(config: Config, resumed: string | undefined): ThinkingLevel {
  const flag = config.invocation.values["thinking"];
  // The option table allows nothing but the levels.
  if (typeof flag === "string") return flag as ThinkingLevel;
  return levelNamed(resumed) ?? config.settings.thinking ?? "off";
}

/** The level that a session's entry names; undefined for another program's own. */
export function levelNamed(name: string | undefined): ThinkingLevel | undefined {
  return THINKING_LEVELS.find((level) => level === name);
}

/** Retries of failed requests; `isOn` goes before a setting that turns them off or on. */
export function retryOf(config: Config, isOn?: boolean): AgentDeps["retry"] {
  const retry = { ...RETRY, ...config.settings.retry };
  if (isOn === undefined) return retry;
  return { ...retry, maxRetries: isOn ? retry.maxRetries || RETRY.maxRetries : 0 };
}

/** Retries of failed requests unless settings say otherwise: a count, and pauses in milliseconds. */
export const RETRY = { maxRetries: 3, baseDelayMs: 1000, maxDelayMs: 60_000, maxWaitMs: 300_000, patienceMs: 900_000 };

/**
 * When and how far the history is shortened. In a window that the usual reserve would take more than half of, as local
 * servers have it, a quarter is kept free, unless the settings say how much.
 */
export function windowOf(config: Config, auto: boolean, contextWindow = Infinity): WindowSettings {
  const own = config.settings.compaction ?? {};
  const { reserveTokens: usual } = WINDOW_DEFAULTS;
  const reserveTokens = usual * 2 > contextWindow ? Math.floor(contextWindow / 4) : usual;
  return { ...WINDOW_DEFAULTS, reserveTokens, ...own, enabled: auto };
}

/** Sub-agents that run at once unless settings say otherwise. */
export const PARALLEL_SUB_AGENTS = 4;
