import { readExtensionProvider } from "../../core/hook.ts";
import { BUILT_IN } from "./built_in.ts";
import type { ProviderEntry } from "./entry.ts";

/** What the user's setting `providers` says of one provider: fields of a built-in one, or all of a new one. */
export interface ProviderOverride extends Partial<Omit<ProviderEntry, "name" | "apiKeyCommand" | "isLocal">> {
  /** As arguments, or as a line for the shell. */
  readonly apiKeyCommand?: string | readonly string[];
}

/** Providers by name, the built-in ones first. */
export type ProviderTable = ReadonlyMap<string, ProviderEntry>;

/** Where a name without a provider is asked, and whose variables a server of `--base-url` has. */
export const DEFAULT_PROVIDER: ProviderEntry = { name: "openai", ...BUILT_IN.openai };

/** A provider's name, as it stands before the slash. */
const NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;

/**
 * The built-in providers under what the user says, and behind them those that extensions were granted, each a line of
 * `readExtensionProvider`. Throws an Error that says what is wrong with an override.
 */
export function providerTable(
  own: Readonly<Record<string, ProviderOverride>> = {},
  granted: readonly string[] = [],
): ProviderTable {
  const table = new Map<string, ProviderEntry>(
    Object.entries(BUILT_IN).map(([name, entry]) => [name, { name, ...entry }]),
  );
  for (const [name, override] of Object.entries(own)) table.set(name, overridden(name, table.get(name), override));
  const taken = new Set([...table.values()].flatMap(({ keyEnv }) => keyEnv));
  for (const line of granted) {
    const entry = grantedEntry(line);
    // It stands in for nobody, and gets the key of nobody else.
    if (!entry || table.has(entry.name) || entry.keyEnv.some((name) => taken.has(name))) continue;
    table.set(entry.name, entry);
  }
  return table;
}

function grantedEntry(line: string): ProviderEntry | undefined {
  const read = readExtensionProvider(line);
  if (!read) return undefined;
  const { name, api, baseUrl, keyEnv } = read;
  return {
    name,
    label: name,
    api,
    baseUrl,
    keyEnv: keyEnv === undefined ? [] : [keyEnv],
    ...(api === "anthropic" ? { keyHeader: "x-api-key" } : {}),
  };
}

function overridden(name: string, known: ProviderEntry | undefined, override: ProviderOverride): ProviderEntry {
  const { apiKeyCommand: command, ...fields } = override;
  if (!known && !NAME.test(name)) {
    throw new Error(`providers: the name "${name}" must be of lower-case letters, digits and hyphens`);
  }
  if (!known && fields.baseUrl === undefined) throw new Error(`providers.${name}: a new provider needs "baseUrl"`);
  const apiKeyCommand = typeof command === "string" ? ["/bin/sh", "-c", command] : command;
  const { baseUrlEnv, ...rest }: ProviderEntry = known ?? { name, label: name, api: "chat", baseUrl: "", keyEnv: [] };
  return {
    ...rest,
    // A variable must not lead elsewhere than the settings say.
    ...(baseUrlEnv && fields.baseUrl === undefined ? { baseUrlEnv } : {}),
    ...fields,
    ...(apiKeyCommand === undefined ? {} : { apiKeyCommand }),
    name,
  };
}

/** The provider whose address a URL is, by scheme, host and port; those with variables in their address are none. */
export function providerAt(url: string, table: ProviderTable): ProviderEntry | undefined {
  const origin = URL.parse(url)?.origin;
  return [...table.values()].find(({ baseUrl }) => !baseUrl.includes("{") && URL.parse(baseUrl)?.origin === origin);
}

/** A text with the values of variables in it, or the names of those that are not set. */
export type Filled = { readonly text: string } | { readonly missing: string };

/** Fills `{NAME}`, `{A|B}` and `{model}`. A value that ends in a slash loses it. */
export function filled(template: string, variable: (name: string) => string | undefined, model: string): Filled {
  let missing: string | undefined;
  const text = template.replace(/\{([^{}]*)\}/g, (_, names: string) => {
    if (names === "model") return encodeURIComponent(model);
    for (const name of names.split("|")) {
      const value = variable(name)?.trim();
      if (value) return value.replace(/\/+$/, "");
    }
    missing ??= names.replaceAll("|", " or ");
    return "";
  });
  return missing === undefined ? { text } : { missing };
}
