import { CONFINED_LEVELS, type Policy } from "../../core/policy.ts";
import { netEnvironment } from "./offline_environment.ts";
import { NOTHING } from "./scopes.ts";

/**
 * A policy cut down to looking: no write scope and no network, for a session that plans. Everything else stays, so that it
 * is never wider than the one that it is made of.
 *
 * Commands run on where the kernel holds them; they keep their private temporary folder and cache. Where nothing but this
 * program's own checks would hold a command, none runs.
 */
export function readingOnly(policy: Policy): Policy {
  return {
    ...policy,
    readingOnly: true,
    write: NOTHING,
    run: CONFINED_LEVELS.has(policy.sandbox) ? policy.run : NOTHING,
    net: NOTHING,
    env: netEnvironment(policy.env, { net: NOTHING, sandbox: policy.sandbox }),
  };
}
