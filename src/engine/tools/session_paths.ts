import { resolve } from "@std/path";
import type { Policy } from "../../core/policy.ts";
import type { Config } from "../../config/config.ts";
import { checkpointsFolder } from "../sessions/checkpoint_place.ts";
import { sessionPlaces } from "../sessions/session_choice.ts";

/** What this program keeps of sessions, which is not the tools' to touch, wherever the user wants it to be (R478). */
export function sessionPaths(config: Config): readonly string[] {
  const { invocation: { values }, auditFolder, world } = config;
  const { folder } = sessionPlaces(config);
  const named = values["resume"];
  // A session that is named by its file goes on in that file.
  const file = typeof named === "string" && named.includes("/") ? resolve(world.cwd, named) : undefined;
  return [folder, auditFolder, checkpointsFolder(config), file].filter((path) => path !== undefined);
}

/**
 * Makes the folder of the sessions where nothing but its own denial keeps tools out of it: what is not there yet cannot
 * be covered by a mount, and the first session of a folder is there only after the first message.
 */
export function makeKeptFolder(config: Config, { denyRead }: Pick<Policy, "denyRead">): void {
  const { folder } = sessionPlaces(config);
  if (folder === undefined || !denyRead.includes(folder)) return;
  try {
    Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch {
    // The session itself tells why it cannot be kept.
  }
}
