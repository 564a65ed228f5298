import { dirname } from "@std/path";
import type { Config } from "../../config/config.ts";
import { UserError } from "../../core/error.ts";

/** Where answers for the project are kept; throws UserError where that is not this program's to write. */
export function grantFolder(config: Pick<Config, "userFolder" | "auditFolder">): string {
  const { userFolder, auditFolder } = config;
  const own = auditFolder === undefined ? undefined : dirname(auditFolder);
  // Another program's folder is read and never written, and a folder of our own would hide it at the next start.
  if (own !== undefined && (userFolder === undefined || userFolder === own)) return own;
  throw new UserError({
    what: "Cannot keep the answer for this project",
    why: userFolder === undefined ? "there is no folder for settings" : `${userFolder} belongs to another program`,
    fix: "It holds for this session. Make ~/.sandpiper/agent/settings.json to keep such answers",
  });
}
