import { isAbsolutePath } from "../../core/support/on_disk.ts";
import { join } from "@std/path";
import { UserError } from "../../core/error.ts";
import type { Provider } from "../../core/provider.ts";
import { nearest } from "../../core/support/nearest.ts";
import type { Endpoint } from "../../provider/endpoint/endpoint.ts";
import { PROVIDER_APIS, type ProviderApi, type ProviderEntry } from "../../provider/table/entry.ts";
import { DEFAULT_PROVIDER, providerAt, type ProviderTable, providerTable } from "../../provider/table/table.ts";
import type { Settings } from "../../config/settings/settings_table.ts";
import type { Values } from "../../config/options/parse.ts";
import { checkedUrl, resolveEndpoint, type Variable } from "./resolve_endpoint.ts";
import type { SessionContext } from "../../core/session.ts";

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
    /** Who stands in for it; nobody when left out. */
    readonly standIns?: () => StandIns;
  }
  | ServerChoice;

/** The models that may answer in place of one that refuses, in order. */
export interface StandIns {
  readonly isThere: () => boolean;
  /** Opens the next one that can be opened, and tells of the others. Undefined: there is none. */
  readonly take: () => Promise<(ModelChoice & { readonly kind: "given" }) | undefined>;
}

/** A model of a provider; nothing is connected yet. An empty model stands for the only one that the server has. */
export interface ServerChoice {
  readonly kind: "server";
  readonly endpoint: Endpoint;
}

/** What a choice is made with beside a name. */
export interface ChoiceFacts {
  readonly cwd: string;
  readonly variable: Variable;
}

/**
 * Decides who answers at the start, from the command line, the environment and settings, in this order. Throws UserError
 * when no model is named, a provider is not known, a URL is none, or a key is needed and absent.
 */
export function chooseModel(values: Values, settings: Settings, facts: ChoiceFacts): ModelChoice {
  const [named] = namedModels(values, settings);
  if (named === undefined) throw noModel();
  return choose(named, { values, settings, facts, isPaired: isPairedAtStart(values, settings) });
}

/** The model that the command line or the settings name, and behind it those that stand in for it. */
export function namedModels(values: Values, settings: Settings): readonly string[] {
  const named = text(values["model"]) ?? settings.model;
  return named === undefined ? [] : chainOf(named);
}

/** The names of a list with commas; the name of a cassette may have one itself. */
export function chainOf(named: string): readonly string[] {
  if (named.startsWith("replay:")) return [named];
  const names = named.split(",").map((name) => name.trim()).filter((name) => name !== "");
  return names.length === 0 ? [named] : names;
}

/** A base URL that was given together with the name is where the whole name is known, whatever it begins with. */
function isPairedAtStart(values: Values, settings: Settings): boolean {
  return values["base-url"] !== undefined || (values["model"] === undefined && settings.baseUrl !== undefined);
}

/**
 * Decides who answers from now on, by a name alone: `provider/id`, or an id of the server at hand. Throws UserError as
 * `chooseModel` does.
 */
export function chooseNamed(
  named: string,
  values: Values,
  settings: Settings,
  facts: ChoiceFacts,
  { about, now }: Pick<Choosing, "about" | "now">,
): ModelChoice {
  return choose(named, { values, settings, facts, isPaired: false, about, now });
}

interface Choosing {
  readonly values: Values;
  readonly settings: Settings;
  readonly facts: ChoiceFacts;
  readonly isPaired: boolean;
  /** The provider that `--api` and `--api-key-env` of the command line were said of: they go with no other. Absent: all. */
  readonly about?: string | undefined;
  /** Whoever answers at the moment: an id without a provider is one of his. */
  readonly now?: ModelChoice | undefined;
}

/** A provider and one of its models, before its address and key are looked for. */
interface Picked {
  readonly entry: ProviderEntry;
  readonly model: string;
  /** Another server is set for names without a provider: who meant that one is told how to say so. */
  readonly other?: string | undefined;
  /** Whose the name is was told by how it begins, or by nothing: the usual provider stands in then. */
  readonly by?: "beginning" | "nothing";
}

function choose(named: string, choosing: Choosing): ModelChoice {
  const { facts } = choosing;
  if (named.startsWith("replay:")) {
    const file = named.slice("replay:".length);
    return { kind: "replay", file: isAbsolutePath(file) ? file : join(facts.cwd, file) };
  }
  const { entry, model, other, by } = pick(named, choosing);
  try {
    return { kind: "server", endpoint: resolveEndpoint(entry, model, facts.variable) };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const { what, why, fix } = error;
    if (by !== undefined) {
      const local = [...tableOf(choosing.settings).values()].find(({ isLocal }) => isLocal);
      const example = `${local?.name ?? "PROVIDER"}/${named}`;
      if (by === "beginning") {
        throw new UserError({
          what,
          why,
          fix: `${fix}. If another provider is meant, write it, for example --model ${example}`,
        });
      }
      throw new UserError({
        what: `Whose model is "${named}"?`,
        why: `it names no provider, so that ${entry.label} would be asked, and ${why}`,
        fix:
          `Write the provider, for example --model ${example}; sandpiper models lists what can be asked here. sandpiper demo needs no key`,
      });
    }
    if (other === undefined) throw error;
    const instead = `To ask ${new URL(other).host} for "${named}", write --model ${DEFAULT_PROVIDER.name}/${named}`;
    throw new UserError({ what, why, fix: `${fix}. ${instead}` });
  }
}

/** Whose model a name is. What names a provider goes to that provider, whatever other server is set and has a key. */
function pick(named: string, choosing: Choosing): Picked {
  const { settings, isPaired, now } = choosing;
  const table = tableOf(settings);
  const usual = table.get(DEFAULT_PROVIDER.name) ?? DEFAULT_PROVIDER;
  const slash = named.indexOf("/");
  const prefix = slash < 0 ? undefined : named.slice(0, slash);
  const entry = prefix === undefined ? undefined : table.get(prefix);
  const isDefault = entry?.name === DEFAULT_PROVIDER.name;
  const url = baseUrlOf(usual, choosing);
  if (entry && !isDefault && !isPaired) return { ...picked(entry, named.slice(slash + 1), choosing), other: url };
  const vendor = prefix === undefined ? vendorOf(named, table) : undefined;
  if (!entry && now?.kind === "server" && now.endpoint.entry.name !== usual.name) {
    const { entry: at } = now.endpoint;
    // Vendors have their own models alone.
    return picked(vendor && at.models ? vendor : at, named, choosing);
  }
  const id = isDefault ? named.slice(slash + 1) : named;
  if (url !== undefined) return picked(entryAt(url, usual, table), id, choosing, true);
  if (isDefault) return picked(usual, id, choosing, true);
  if (prefix !== undefined) throw noProvider(named, prefix, table);
  if (vendor && vendor !== usual) return { ...picked(vendor, named, choosing), by: "beginning" };
  return { ...picked(usual, named, choosing, true), ...(vendor ? {} : { by: "nothing" }) };
}

/** Whose model it is by the beginning of its name. */
function vendorOf(named: string, table: ProviderTable): ProviderEntry | undefined {
  return [...table.values()].find(({ models = [] }) => models.some((start) => named.startsWith(start)));
}

/** The server for names without a provider, where one is set. */
function baseUrlOf({ baseUrlEnv = [] }: ProviderEntry, { values, settings, facts }: Choosing): string | undefined {
  const variable = baseUrlEnv.map((name) => facts.variable(name)?.trim()).find(Boolean);
  const url = text(values["base-url"]) ?? variable ?? settings.baseUrl;
  return url === undefined ? undefined : checkedUrl(url);
}

/**
 * The entry for a base URL: that of the provider who has it, else one without any facts. The usual variable for a key
 * counts, too: whoever sets a base URL sets both.
 */
function entryAt(url: string, usual: ProviderEntry, table: ProviderTable): ProviderEntry {
  const { baseUrlEnv: _, ...known } = providerAt(url, table) ?? {
    name: usual.name,
    label: new URL(url).host,
    api: usual.api,
    keyEnv: [],
    // Facts of a model are looked for by its name alone.
    catalogue: "",
  };
  return { ...known, baseUrl: url, keyEnv: [...new Set([...known.keyEnv, ...usual.keyEnv])] };
}

/** A provider under the options of the command line and, for the usual server, the settings that are about it. */
function picked(found: ProviderEntry, model: string, { values, settings, about }: Choosing, isUsual = false): Picked {
  const isMeant = about === undefined || about === found.name;
  const variable = (isMeant ? text(values["api-key-env"]) : undefined) ?? (isUsual ? settings.apiKeyEnv : undefined);
  const api = apiNamed(isMeant ? text(values["api"]) : undefined) ?? (isUsual ? apiNamed(settings.api) : undefined);
  const entry: ProviderEntry = {
    ...found,
    ...(variable === undefined ? {} : { keyEnv: [variable] }),
    ...(api === undefined ? {} : { api }),
    // Whoever speaks that protocol at an address that nobody knows wants the key as its inventor does.
    ...(api === "anthropic" && found.catalogue === "" ? { keyHeader: "x-api-key" } : {}),
  };
  return { entry, model: model === "" ? entry.model ?? "" : model };
}

function apiNamed(api: string | undefined): ProviderApi | undefined {
  return PROVIDER_APIS.find((known) => known === api);
}

/** The variable in which the key of the model at the start is looked for first; nothing where there is none. */
export function keyVariableOf(values: Values, settings: Settings, facts: ChoiceFacts): string | undefined {
  const [named] = namedModels(values, settings);
  if (named?.startsWith("replay:")) return undefined;
  if (named === undefined) return text(values["api-key-env"]) ?? settings.apiKeyEnv ?? DEFAULT_PROVIDER.keyEnv[0];
  return pick(named, { values, settings, facts, isPaired: isPairedAtStart(values, settings) }).entry.keyEnv[0];
}

/** The providers that the settings leave, those that extensions were granted among them. Throws UserError for an entry that cannot be used. */
export function tableOf({ providers, extensions }: Pick<Settings, "providers" | "extensions">): ProviderTable {
  try {
    const grants = Object.values(extensions?.grants ?? {});
    return providerTable(providers, grants.flatMap((grant) => grant.providers ?? []));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UserError({ what: 'Cannot use the setting "providers"', why, fix: "docs/providers.md shows an entry" });
  }
}

function noModel(): UserError {
  return new UserError({
    what: "No model is chosen",
    why: 'neither --model nor the setting "model" names one',
    fix: "Add --model PROVIDER/ID, for example: sandpiper --model anthropic/ or --model openai/, or try sandpiper demo",
  });
}

function noProvider(named: string, prefix: string, table: ProviderTable): UserError {
  const near = nearest(prefix, [...table.keys()]);
  const rest = named.slice(prefix.length + 1);
  const all = `known are ${[...table.keys()].join(", ")}`;
  return new UserError({
    what: `There is no provider "${prefix.slice(0, 100)}"`,
    why: near === undefined ? all : `it is none of the ${table.size} that are known`,
    fix: near === undefined
      ? `For a name with a slash at a server of your own add --base-url; "providers" in settings.json adds providers`
      : `Did you mean --model ${near}/${rest}?`,
  });
}

function text(value: Values[string] | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The model that a session used last. */
export type KeptModel = NonNullable<SessionContext["model"]>;

/** The provider's name of a cassette in sessions. */
export const REPLAY = "replay";

/**
 * What a session's model is chosen by; nothing where its provider is not known here, or where a cassette's replies name no
 * file.
 */
export function keptName({ provider, modelId }: KeptModel, table: ProviderTable): string | undefined {
  if (provider === REPLAY) return modelId.startsWith("replay:") ? modelId : undefined;
  // A prefix is taken off once: one that the model's own name begins with stays.
  return table.has(provider) ? `${provider}/${modelId}` : undefined;
}
