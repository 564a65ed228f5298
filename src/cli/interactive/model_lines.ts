import type { Config } from "../../config/config.ts";
import { readVariable } from "../../config/host_environment.ts";
import { availableProviders, modelWords } from "../../engine/model/available.ts";
import type { ModelChoice } from "../../engine/model/model.ts";

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
