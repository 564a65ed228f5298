import type { Config } from "../../config/config.ts";
import { type ModelChoice, tableOf } from "./model.ts";
import type { Settings } from "../../config/settings/settings_table.ts";
import { hideSecrets, holdsSecret } from "../../core/support/hide_secrets.ts";
import { readVariable } from "../../config/host_environment.ts";

/** What servers are given and what they must not be given. */
export interface Secrets {
  /** A variable of the user's environment. */
  readonly variable: (name: string) => string | undefined;
  /** Whether a variable is, or holds, the model's key. */
  readonly isKey: (name: string, value: string) => boolean;
  /** Takes a value out of all texts from now on. */
  readonly hide: (value: string) => void;
  readonly scrub: (text: string) => string;
}

/** Shorter values stand for themselves in ordinary text. UTF-16 units. */
const SHORTEST = 6;

/** The secrets of a session. */
export function openSecrets({ world }: Pick<Config, "world">, choice: ModelChoice): Secrets {
  const hidden = new Set<string>();
  const key = choice.kind === "server" ? choice.endpoint.key : undefined;
  return {
    variable: (name) => world.env[name] ?? readVariable(name),
    isKey: (name, value) => (name === key?.origin && name !== "") || holdsSecret(value, key?.secrets ?? []),
    hide: (value) => void hidden.add(value),
    scrub: (text) => hideSecrets(text, [...hidden, ...key?.secrets ?? []], SHORTEST),
  };
}

/** The variables that hold keys of providers and nothing else. */
export function keyVariables(settings: Pick<Settings, "providers" | "extensions" | "apiKeyEnv">): ReadonlySet<string> {
  const own = settings.apiKeyEnv === undefined ? [] : [settings.apiKeyEnv];
  return new Set([
    ...[...tableOf(settings).values()].flatMap(({ keyEnv, isSharedKey }) => isSharedKey ? [] : keyEnv),
    ...own,
  ]);
}

/** The value of a variable that settings name; throws, with a sentence for people, where there is none. */
export function given(name: string, secrets: Secrets): string {
  const value = secrets.variable(name);
  if (value === undefined || value === "") throw new Error(`the variable ${name} is not set`);
  secrets.hide(value);
  return value;
}
