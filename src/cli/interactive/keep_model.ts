import { join } from "@std/path";
import type { Config } from "../../config/config.ts";
import { UserError } from "../../core/error.ts";
import { grantFolder } from "../../engine/tools/allowed_before.ts";
import { recordSetting } from "../../engine/tools/grants.ts";

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
    return `"model": "${model}" stands in ${place} from now on; change it there, or name another one with --model`;
  } catch (error) {
    if (error instanceof UserError) return `${error.what}: ${error.why}. ${error.fix}`;
    throw error;
  }
}
