import type { Config } from "../../config/config.ts";
import { readVariable } from "../../config/host_environment.ts";
import { availableProviders, modelWords } from "../../engine/model/available.ts";
import type { ModelChoice } from "../../engine/model/model.ts";
import { join } from "@std/path";
import { UserError } from "../../core/error.ts";
import { grantFolder } from "../../engine/tools/grant_folder.ts";
import { recordSetting } from "../../engine/tools/grants.ts";

/** A model that `/model` offers. */
export interface ModelLine {
  /** As `/model` takes it. */
  readonly name: string;
  /** What is known of it. */
  readonly detail: string;
}

/** Names that begin so late in a list are found by typing. */
const MOST = 3000;

/**
 * The models of all providers that have a key: those that the server at hand and servers on this machine list now, and
 * those of the catalogue for the others. Never rejects.
 */
export async function modelLines(config: Config, choice: ModelChoice, limitMs?: number): Promise<readonly ModelLine[]> {
  const found = await availableProviders({
    settings: config.settings,
    variable: readVariable,
    now: choice,
    ask: "local",
    ...(limitMs === undefined ? {} : { limitMs }),
  });
  return found.flatMap(({ models }) => models.map((model) => ({ name: model.name, detail: modelWords(model) })))
    .slice(0, MOST);
}

/** Where a model that is chosen on the first screen is kept; undefined where nothing is kept, or nothing may be written. */
export function modelPlace(config: Config): string | undefined {
  if (config.invocation.values["no-session"]) return undefined;
  try {
    return join(grantFolder(config), "settings.json");
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/** Writes a model into the user's settings; a sentence that says so, or why it is not there. Nothing where nothing is kept. */
export function keepModel(config: Config, model: string): string | undefined {
  const place = modelPlace(config);
  if (place === undefined) return undefined;
  try {
    recordSetting(grantFolder(config), "model", model);
    return `Saved "model": "${model}" in ${place}. Change it there, or name another model with --model`;
  } catch (error) {
    if (error instanceof UserError) return `${error.what}: ${error.why}. ${error.fix}`;
    throw error;
  }
}
