import { isAbsolute, join } from "@std/path";
import { UserError } from "../../core/error.ts";
import type { Provider } from "../../core/provider.ts";
import type { Settings } from "../../config/settings/settings_table.ts";
import type { Values } from "../../config/options/parse.ts";

/** Whose replies a run gets. */
export type ModelChoice =
  | { readonly kind: "replay"; readonly file: string }
  /** Whoever a program that embeds the engine brings. */
  | {
    readonly kind: "given";
    readonly provider: Provider;
    readonly model: string;
    /** Tokens. */
    readonly contextWindow?: number;
    readonly maxTokens?: number;
  }
  | {
    readonly kind: "openai";
    readonly api: "chat" | "responses";
    readonly model: string;
    readonly baseUrl: string;
    readonly apiKey: string;
    readonly apiKeyEnv: string;
  };

/** Stands for a key where there is none: some servers want to see one, whatever it is. */
export const KEYLESS = "none";

const OPENAI = "https://api.openai.com/v1";

/**
 * Decides who answers, from the command line, the environment and settings, in this order. Throws UserError when no model
 * is named, the URL is not one, or a key is needed and absent.
 */
export function chooseModel(
  values: Values,
  settings: Settings,
  facts: { readonly cwd: string; readonly variable: (name: string) => string | undefined },
): ModelChoice {
  const named = text(values["model"]) ?? settings.model;
  if (named === undefined) {
    throw new UserError({
      what: "No model is chosen",
      why: 'neither --model nor the setting "model" names one',
      fix: "Add --model ID, for example: sandpiper --model gpt-5, or try sandpiper demo",
    });
  }
  if (named.startsWith("replay:")) {
    const file = named.slice("replay:".length);
    return { kind: "replay", file: isAbsolute(file) ? file : join(facts.cwd, file) };
  }
  const baseUrl = checkedUrl(
    text(values["base-url"]) ?? nonEmpty(facts.variable("OPENAI_BASE_URL")) ?? settings.baseUrl ?? OPENAI,
  );
  const apiKeyEnv = text(values["api-key-env"]) ?? settings.apiKeyEnv ?? "OPENAI_API_KEY";
  const apiKey = nonEmpty(facts.variable(apiKeyEnv)) ?? keyless(baseUrl, apiKeyEnv);
  const api = (text(values["api"]) ?? settings.api) === "responses" ? "responses" : "chat";
  return { kind: "openai", api, model: named.replace(/^openai\//, ""), baseUrl, apiKey, apiKeyEnv };
}

/** Servers on this machine usually want no key; everybody else does. */
function keyless(baseUrl: string, variable: string): string {
  const host = new URL(baseUrl).hostname;
  if (host === "localhost" || host === "[::1]" || /^127\./.test(host)) return KEYLESS;
  throw new UserError({
    what: "There is no API key",
    why: `the variable ${variable} is not set, and ${host} is not this machine`,
    fix:
      `export ${variable}=…, or name the variable that holds the key with --api-key-env. sandpiper demo needs no key`,
  });
}

function checkedUrl(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new UserError({
      what: `The base URL "${given}" is not usable`,
      why: "it must begin with http:// or https://",
      fix: "For example --base-url http://127.0.0.1:11434/v1",
    });
  }
  if (url.username !== "" || url.password !== "") {
    throw new UserError({
      what: "The base URL holds a name or password",
      why: "it would be visible in the list of processes",
      fix: "Put the key into a variable and name it with --api-key-env",
    });
  }
  return given.replace(/\/+$/, "");
}

function text(value: Values[string]): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function nonEmpty(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === "" ? undefined : value.trim();
}
