import type { Config } from "../../config/config.ts";
import { type ModelChoice, tableOf } from "./model.ts";
import type { Settings } from "../../config/settings/settings_table.ts";
import { hideSecrets, holdsSecret } from "../../core/support/hide_secrets.ts";
import { PROXY_VARIABLES } from "../../core/support/http_proxy.ts";
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

/** Secrets by where a session is: its servers and its models share them. */
const shared = new WeakMap<Config["world"], Set<string>>();

/** The secrets that a session has met so far. */
export function sharedSecrets(world: Config["world"]): Set<string> {
  const secrets = shared.get(world) ?? new Set();
  shared.set(world, secrets);
  return secrets;
}

/** Configurations whose secrets are in the set of their session. */
const read = new WeakSet<Config>();

/**
 * Every secret that the program knows: keys of providers in the environment, what settings say in headers and addresses, and
 * tokens of MCP servers as soon as they are read. The same set for a session, which grows.
 */
export function knownSecrets(config: Config): ReadonlySet<string> {
  const { world, settings, user, invocation } = config;
  const secrets = sharedSecrets(world);
  if (read.has(config)) return secrets;
  const named = invocation.values["api-key-env"];
  const keys = [...keyVariables(settings), ...(typeof named === "string" ? [named] : [])];
  const passwords = [...PROXY_VARIABLES].map((name) => URL.parse(world.env[name] ?? "")?.password);
  const headers = (world.env["OTEL_EXPORTER_OTLP_HEADERS"] ?? "").split(",").map((one) => one.split("=", 2))
    .flatMap(([name = "", value = ""]) => secretsInHeader(name.trim(), value.trim()));
  const ofSearch = [...URL.parse(user.webSearch ?? "")?.searchParams.values() ?? []]
    .filter((value) => value.length >= LONG_PARAMETER && !value.includes("{"));
  for (const value of [...keys.map((name) => world.env[name]), ...passwords, ...headers, ...ofSearch]) {
    if (value !== undefined && value !== "") secrets.add(value);
  }
  read.add(config);
  return secrets;
}

/** A value in the address of a search that is as long as this is a key, and no word. UTF-16 units. */
const LONG_PARAMETER = 16;

/** What of a header is secret: of one whose name says so its value, without the name of a scheme before it. */
export function secretsInHeader(name: string, value: string): readonly string[] {
  return /auth|key|token|secret/i.test(name) ? [value, value.replace(/^[A-Za-z]+\s+/, "")] : [];
}

/** The secrets of a session. */
export function openSecrets({ world }: Pick<Config, "world">, choice: ModelChoice): Secrets {
  const hidden = sharedSecrets(world);
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
