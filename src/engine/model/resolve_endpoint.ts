import { UserError } from "../../core/error.ts";
import type { Endpoint, EndpointKey } from "../../provider/endpoint/endpoint.ts";
import { commandKey, fixedKey, noKey } from "../../provider/endpoint/key.ts";
import type { ProviderEntry } from "../../provider/table/entry.ts";
import { filled } from "../../provider/table/table.ts";

/** The value of a variable of the environment. */
export type Variable = (name: string) => string | undefined;

/** A model of a provider with all that its address and key need. Throws UserError that says what is missing. */
export function resolveEndpoint(entry: ProviderEntry, model: string, variable: Variable): Endpoint {
  const baseUrl = addressOf(entry, model, variable);
  return { entry, baseUrl, model, key: keyOf(entry, baseUrl, variable) };
}

/** What keeps a provider from being asked; nothing where it can be. */
export function missingOf(entry: ProviderEntry, variable: Variable): UserError | undefined {
  try {
    resolveEndpoint(entry, "model", variable);
    return undefined;
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
}

function addressOf(entry: ProviderEntry, model: string, variable: Variable): string {
  const given = (entry.baseUrlEnv ?? []).map((name) => variable(name)?.trim()).find(Boolean);
  const address = filled(given ?? entry.baseUrl, variable, model);
  if ("text" in address) return checkedUrl(address.text);
  const example = `export ${address.missing.split(" or ")[0]}=…`;
  throw new UserError({
    what: `The address of ${entry.label} is not complete`,
    why: `the variable ${address.missing} is not set`,
    fix:
      `${example}, or write the whole address into settings.json: {"providers": {"${entry.name}": {"baseUrl": "https://…"}}}`,
  });
}

function keyOf(entry: ProviderEntry, baseUrl: string, variable: Variable): EndpointKey {
  for (const name of entry.keyEnv) {
    const value = variable(name)?.trim();
    if (value) return fixedKey(value, name);
  }
  if (entry.apiKeyCommand) return commandKey(entry.apiKeyCommand, () => pathOfKeyCommand(variable));
  const wanted = entry.keyEnv[0];
  // Servers on this machine usually want no key; everybody else does.
  if (entry.isKeyOptional || wanted === undefined || isLoopback(baseUrl)) return noKey(wanted);
  const { host } = new URL(baseUrl);
  throw new UserError({
    what: `There is no API key for ${entry.label}`,
    why: `the variable ${entry.keyEnv.join(" or ")} is not set, and ${host} is not this machine`,
    fix: `export ${wanted}=…${entry.site === undefined ? "" : ` (keys: ${entry.site})`}, name another variable with ` +
      "--api-key-env, or let a command print the key (docs/providers.md). sandpiper demo needs no key",
  });
}

/** The program runs unconfined: it must not be one that a command put where tools write. */
async function pathOfKeyCommand(variable: Variable): Promise<string> {
  const { programPath } = await import("../../config/program_path.ts");
  return programPath(variable("PATH") ?? "");
}

function isLoopback(baseUrl: string): boolean {
  const host = new URL(baseUrl).hostname;
  return host === "localhost" || host === "[::1]" || /^127\./.test(host);
}

/** A base URL without a slash at its end. Throws UserError for anything but an http address without name and password. */
export function checkedUrl(given: string): string {
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
