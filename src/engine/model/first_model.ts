import { UserError } from "../../core/error.ts";
import type { Config } from "../../config/config.ts";
import { chooseModel, type ModelChoice } from "./model.ts";

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
  const kept = isNamed || goesOn === undefined ? undefined : await keptName(config);
  return chooseModel(values, kept === undefined ? settings : { ...settings, model: kept }, { cwd, variable });
}

async function keptName(config: Config): Promise<string | undefined> {
  // Not before it is needed: reading sessions is code that a start can do without.
  const { keptModel } = await import("../sessions/session_choice.ts");
  try {
    const kept = keptModel(config);
    const isOurs = kept?.provider === "openai" || kept?.modelId.startsWith("replay:");
    return isOurs ? kept?.modelId : undefined;
  } catch (error) {
    // Opening the session says what is wrong with it.
    if (error instanceof UserError) return undefined;
    throw error;
  }
}
