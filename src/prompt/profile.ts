import { UserError } from "../core/error.ts";
import type { Profile } from "../core/prompt.ts";

/** The profiles, largest first. */
export const PROFILES: readonly Profile[] = ["full", "minimal", "none"];

/** The profile of that name; throws `UserError` for any other (R43). */
export function parseProfile(name: string): Profile {
  const found = PROFILES.find((profile) => profile === name);
  if (found) return found;
  throw new UserError({
    what: `Unknown prompt profile "${name}"`,
    why: `the profiles are ${PROFILES.join(", ")}`,
    fix: "Write --profile full, --profile minimal or --profile none",
  });
}
