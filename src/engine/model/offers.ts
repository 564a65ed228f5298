import { UserError } from "../../core/error.ts";
import type { Settings } from "../../config/settings/settings_table.ts";
import { shownCommand } from "../../provider/endpoint/shown_command.ts";
import type { ProviderEntry } from "../../provider/table/entry.ts";
import { DEFAULT_PROVIDER } from "../../provider/table/table.ts";
import { missingOf, resolveEndpoint, type Variable } from "./resolve_endpoint.ts";
import { listModels } from "./list_models.ts";
import { type ServerChoice, tableOf } from "./model.ts";

/** A model that could answer here and now. */
export interface Offer {
  /** As `--model` takes it. */
  readonly name: string;
  /** Why it is offered: a variable that is set, a server that answers. */
  readonly because: string;
}

/** How long a server on this machine may take to say that it is there, milliseconds; models of one that are offered. */
const LOCAL_MS = 400;
const MOST_OF_ONE = 5;

const MISSING = {
  model: { what: "No model is chosen", why: 'neither --model nor the setting "model" names one' },
  provider: {
    what: "No model provider available",
    why: "no provider has a key here, and no server on this machine answers",
  },
} as const;

/**
 * Nobody was named who answers. `offers`: who could, from the keys that are set and the servers that answer on this machine;
 * the error's text has them, or what to type for each provider.
 */
export class NoModelError extends UserError {
  readonly offers: readonly Offer[];
  /** What to do, with every provider that there is. */
  readonly wholeFix: string;

  constructor(offers: readonly Offer[], settings: Settings, missing: "model" | "provider" = "model") {
    const all = [...tableOf(settings).values()];
    const common = all.filter(({ isCommon }) => isCommon);
    const fix = (entries: readonly ProviderEntry[], rest: readonly string[] = []): string =>
      offers.length > 0
        ? lines('Found here; add one of these, or write it as "model" into settings.json:', offerLines(offers))
        : lines(
          "Set one of these variables, or start one of these servers, and name the provider (sandpiper demo needs neither):",
          [...entries.map(typeLine), ...rest],
        );
    super({
      ...MISSING[missing],
      fix: fix(common, [`… and ${all.length - common.length} more: sandpiper doctor`]),
    });
    this.offers = offers;
    this.wholeFix = fix(commonFirst(all));
  }
}

/** Nobody reads thirty lines; in the order of the table otherwise. */
function commonFirst(entries: readonly ProviderEntry[]): readonly ProviderEntry[] {
  return [...entries.filter(({ isCommon }) => isCommon), ...entries.filter(({ isCommon }) => !isCommon)];
}

function offerLines(offers: readonly Offer[]): readonly string[] {
  const width = Math.max(...offers.map(({ name }) => name.length));
  return offers.map(({ name, because }) => `--model ${name.padEnd(width)}  ${because}`);
}

/** The first name of each variable in an address. */
function placeholders(baseUrl: string): readonly string[] {
  const names = [...baseUrl.matchAll(/\{([^{}|]*)[^{}]*\}/g)].map(([, name = ""]) => name);
  return [...new Set(names)].filter((name) => name !== "model");
}

/** What to type for one provider. */
function typeLine({ name, label, keyEnv, apiKeyCommand, baseUrl, isLocal }: ProviderEntry): string {
  const how = isLocal
    ? `${label} at ${new URL(baseUrl).host}`
    : [...placeholders(baseUrl), ...keyEnv.slice(0, 1)].map((name) => `export ${name}=…`).join(" ") +
      (apiKeyCommand ? `, token from ${shownCommand(apiKeyCommand)}` : "");
  return `--model ${`${name}/`.padEnd(16)} ${how}`;
}

function lines(head: string, rest: readonly string[]): string {
  return [head, ...rest.map((line) => `    ${line}`)].join("\n");
}

/**
 * Who could answer: each provider whose key is set, and what local servers have. Asks servers on this machine, and one that a
 * variable such as OPENAI_BASE_URL puts in a provider's place: it has other models than the provider.
 */
export async function findOffers(settings: Settings, variable: Variable): Promise<readonly Offer[]> {
  const found = await Promise.all(
    [...tableOf(settings).values()].map((entry) =>
      entry.isLocal
        ? localOffers(entry, variable)
        : otherAddress(entry, variable) === undefined
        ? keyOffers(entry, variable)
        : offersElsewhere(entry, variable)
    ),
  );
  return found.flat();
}

/** A key that is set, and an address that is complete. A command is not run for this. */
function keyOffers(entry: ProviderEntry, variable: Variable): readonly Offer[] {
  const key = entry.keyEnv.find((name) => variable(name)?.trim());
  if (key === undefined || missingOf(entry, variable) !== undefined) return [];
  return [{ name: `${entry.name}/${entry.model ?? ""}`, because: `${entry.label}: ${key} is set` }];
}

/** The variable that puts another server in a provider's place. */
function otherAddress(entry: ProviderEntry, variable: Variable): string | undefined {
  return entry.baseUrlEnv?.find((name) => {
    const value = variable(name)?.trim().replace(/\/+$/, "");
    return value && value !== entry.baseUrl.replace(/\/+$/, "");
  });
}

/** What the server lists that a variable names; nothing where it lists nothing, because no model of it is known then. */
async function offersElsewhere(entry: ProviderEntry, variable: Variable): Promise<readonly Offer[]> {
  if (missingOf(entry, variable) !== undefined) return [];
  const endpoint = resolveEndpoint(entry, "", variable);
  const { host } = new URL(endpoint.baseUrl);
  const listing = await listModels(endpoint);
  // The provider's usual model is none of this server's.
  if (!("models" in listing)) return entry.model === undefined ? keyOffers(entry, variable) : [];
  return listing.models.slice(0, MOST_OF_ONE).map(({ id }) => ({
    name: `${entry.name}/${id}`,
    because: `${otherAddress(entry, variable)} names ${host}, which lists it`,
  }));
}

/**
 * A server as it is, unless it lists several models and none is chosen. Throws NoModelError with these models then, named as
 * `--model` takes them beside the base URL.
 */
export async function onlyModel(choice: ServerChoice, settings: Settings): Promise<ServerChoice> {
  const { endpoint } = choice;
  const listing = endpoint.model === "" ? await listModels(endpoint) : { models: [] };
  if (!("models" in listing) || listing.models.length < 2) return choice;
  const { host } = new URL(endpoint.baseUrl);
  const offers = listing.models.slice(0, MOST_OF_ONE).map(({ id }) => ({
    name: `${DEFAULT_PROVIDER.name}/${id}`,
    because: `${host} lists it`,
  }));
  throw new NoModelError(offers, settings);
}

async function localOffers(entry: ProviderEntry, variable: Variable): Promise<readonly Offer[]> {
  const { host } = new URL(entry.baseUrl);
  const listing = await listModels(resolveEndpoint(entry, "", variable), LOCAL_MS);
  if (!("models" in listing)) return [];
  return listing.models.slice(0, MOST_OF_ONE).map(({ id }) => ({
    name: `${entry.name}/${id}`,
    because: `${entry.label} answers at ${host}`,
  }));
}
