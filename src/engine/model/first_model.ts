import { UserError } from "../../core/error.ts";
import type { Config } from "../../config/config.ts";
import { chooseModel, chooseNamed, keptName, type ModelChoice, tableOf } from "./model.ts";
import { resolveChoice } from "./resolve_choice.ts";

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
    const { findOffers, NoModelError } = await import("./offers.ts");
    throw new NoModelError(await findOffers(settings, variable), settings);
  }
  return await resolveChoice(
    kept === undefined ? chooseModel(values, settings, facts) : chooseNamed(kept, values, settings, facts, {}),
  );
}

async function nameInSession(config: Config): Promise<string | undefined> {
  // Not before it is needed: reading sessions is code that a start can do without.
  const { keptModel } = await import("../sessions/session_choice.ts");
  try {
    const kept = keptModel(config);
    return kept === undefined ? undefined : keptName(kept, tableOf(config.settings));
  } catch (error) {
    // Opening the session says what is wrong with it.
    if (error instanceof UserError) return undefined;
    throw error;
  }
}
