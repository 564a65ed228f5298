import type { Limits } from "../core/policy.ts";
import { DEFAULT_LIMITS } from "../sandbox/policy/limits.ts";
import type { Config } from "./config.ts";
import type { Settings } from "./settings/settings_table.ts";

/** The bounds of a tool call by their names in the settings, under `bash`. */
const SET_BY = {
  timeoutMs: "bashTimeoutMs",
  maxTimeoutMs: "bashMaxTimeoutMs",
  outputBytes: "outputBytes",
  outputLines: "outputLines",
  fileBytes: "fileBytes",
  openFiles: "openFiles",
  processes: "processes",
  memoryBytes: "memoryBytes",
} as const satisfies Readonly<Record<keyof NonNullable<Settings["bash"]>, keyof Limits>>;

/**
 * The bounds of a tool call: the user's, else the defaults, and what the project lowers of them.
 *
 * What a program that embeds the engine sets stands before all files.
 */
export function toolLimitsOf({ user, project, given }: Pick<Config, "user" | "project" | "given">): Limits {
  const own = user.bash ?? {};
  const lowered = given?.bash ? {} : project.bash ?? {};
  // `Object.fromEntries` widens the keys to string; they are those of the table.
  const names = Object.keys(SET_BY) as (keyof typeof SET_BY)[];
  return Object.assign(
    { ...DEFAULT_LIMITS },
    ...names.map((name) => {
      const limit = SET_BY[name];
      return { [limit]: Math.min(own[name] ?? DEFAULT_LIMITS[limit], lowered[name] ?? Infinity) };
    }),
  );
}
