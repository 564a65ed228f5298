import { UserError } from "../../core/error.ts";
import type { Config } from "../../config/config.ts";
import { DEFAULT_PROVIDER } from "../../provider/table/table.ts";
import { chooseModel, chooseNamed, keptName, type ModelChoice, type ServerChoice, tableOf } from "./model.ts";

/**
 * Who answers at the start: the command line, the settings, or where neither names anybody, the session that is gone on
 * with. Throws UserError as `chooseModel` does.
 */
export async function firstModel(
  config: Config,
  variable: (name: string) => string | undefined,
): Promise<ModelChoice> {
  const { invocation: { values }, settings, world: { cwd } } = config;
  const isNamed = values["model"] !== undefined || settings.model !== undefined;
  const goesOn = values["continue"] ?? values["resume"] ?? values["fork"];
  const kept = isNamed || goesOn === undefined ? undefined : await nameInSession(config);
  const facts = { cwd, variable };
  if (!isNamed && kept === undefined) {
    const { findOffers, NoModelError, onlyModel } = await import("./offers.ts");
    const server = serverAtBaseUrl(config, variable);
    if (server !== undefined) return await resolveChoice(await onlyModel(server, settings));
    throw new NoModelError(await findOffers(settings, variable), settings);
  }
  return await resolveChoice(
    kept === undefined ? chooseModel(values, settings, facts) : chooseNamed(kept, values, settings, facts, {}),
  );
}

/**
 * The server that `--base-url` or the setting `baseUrl` names, without a model; undefined if neither is set. Throws UserError if
 * the address is not valid or its key is missing.
 */
export function serverAtBaseUrl(
  { invocation: { values }, settings, world: { cwd } }: Config,
  variable: (name: string) => string | undefined,
): ServerChoice | undefined {
  if (values["base-url"] === undefined && settings.baseUrl === undefined) return undefined;
  const choice = chooseModel({ ...values, model: `${DEFAULT_PROVIDER.name}/` }, settings, { cwd, variable });
  return choice.kind === "server" ? choice : undefined;
}

async function nameInSession(config: Config): Promise<string | undefined> {
  // Not before it is needed: reading sessions is code that a start can do without.
  const { keptModel } = await import("../sessions/resumed_session.ts");
  try {
    const kept = keptModel(config);
    return kept === undefined ? undefined : keptName(kept, tableOf(config.settings));
  } catch (error) {
    // Opening the session says what is wrong with it.
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/**
 * A choice with a whole model in it: `PROVIDER/` alone, of a provider without a usual model, is the only one that its server
 * lists, and a name without a tag the only one with that name. Throws UserError where it lists several, or none for the
 * provider alone.
 */
export async function resolveChoice(choice: ModelChoice): Promise<ModelChoice> {
  if (choice.kind !== "server") return choice;
  const { endpoint } = choice;
  if (endpoint.model !== "") {
    return endpoint.entry.hasTags && !endpoint.model.includes(":") ? await tagged(choice) : choice;
  }
  const { entry: { name, label }, baseUrl } = endpoint;
  const { listModels } = await import("./list_models.ts");
  const listed = await listModels(endpoint);
  const [first, ...others] = "models" in listed ? listed.models : [];
  if (first && others.length === 0) return { kind: "server", endpoint: { ...endpoint, model: first.id } };
  const what = `Which model of ${label}?`;
  const fix = `Write --model ${name}/ID`;
  if ("why" in listed) throw new UserError({ what, why: `${baseUrl} lists none: ${listed.why}`, fix });
  if (!first) throw new UserError({ what, why: `${baseUrl} has none`, fix: "Load or download one there first" });
  const names = listed.models.slice(0, 12).map(({ id }) => id).join(", ");
  throw new UserError({
    what,
    why: `it has ${listed.models.length}: ${names}${listed.models.length > 12 ? ", …" : ""}`,
    fix: `Write for example --model ${name}/${first.id}`,
  });
}

/** A model with the tag that it has there. Its server takes a name without one for `latest`, and what it does not have it says itself. */
async function tagged(choice: ServerChoice): Promise<ServerChoice> {
  const { endpoint } = choice;
  const { entry: { name, label }, model } = endpoint;
  const { listModels } = await import("./list_models.ts");
  const listed = await listModels(endpoint);
  const ids = "models" in listed ? listed.models.map(({ id }) => id) : [];
  if (ids.includes(model) || ids.includes(`${model}:latest`)) return choice;
  const [first, ...others] = ids.filter((id) => id.startsWith(`${model}:`));
  if (first === undefined) return choice;
  if (others.length === 0) return { kind: "server", endpoint: { ...endpoint, model: first } };
  throw new UserError({
    what: `Which ${model} of ${label}?`,
    why: `it has ${[first, ...others].join(", ")}`,
    fix: `Write for example --model ${name}/${first}`,
  });
}
