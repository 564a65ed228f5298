import type { Config } from "../../config/config.ts";
import type { ModelChoice } from "./model.ts";
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

/** Shorter values stand for themselves in ordinary text. */
const SHORTEST = 6;

/** The secrets of a session. */
export function openSecrets({ world }: Pick<Config, "world">, choice: ModelChoice): Secrets {
  const hidden = new Set<string>();
  const hide = (value: string): void => void (value.length >= SHORTEST && hidden.add(value));
  const key = choice.kind === "openai" && choice.apiKey !== "none" ? choice.apiKey : undefined;
  const keyName = choice.kind === "openai" ? choice.apiKeyEnv : "OPENAI_API_KEY";
  if (key !== undefined) hide(key);
  return {
    variable: (name) => world.env[name] ?? readVariable(name),
    isKey: (name, value) => name === keyName || (key !== undefined && value.includes(key)),
    hide,
    scrub: (text) => [...hidden].reduce((clean, value) => clean.replaceAll(value, "***"), text),
  };
}

/** The value of a variable that settings name; throws, with a sentence for people, where there is none. */
export function given(name: string, secrets: Secrets): string {
  const value = secrets.variable(name);
  if (value === undefined || value === "") throw new Error(`the variable ${name} is not set`);
  secrets.hide(value);
  return value;
}
