import type { Denial } from "../../core/event.ts";
import type { Policy } from "../../core/policy.ts";
import { netEnvironment } from "../policy/environment.ts";
import type { Grants } from "../policy/policy.ts";
import { joinScopes, readScope } from "../policy/scopes.ts";

/** The scopes that a grant adds to. Writing brings reading along: where a path leads cannot be seen without it. */
export function grantedScopes({ kind, grant }: Pick<Denial, "kind" | "grant">): Grants {
  const scope = grant === "*" ? true : [grant];
  return kind === "write" ? { read: scope, write: scope } : { [kind]: scope };
}

/**
 * A policy and one grant: a new value that differs in this and in what follows from it.
 *
 * Not resolved anew: in the meantime tools may have put links where scopes were written, and what those lead to was never
 * shown to anybody. Denials stay and beat the grant.
 */
export function widen(policy: Policy, denial: Pick<Denial, "kind" | "grant">): Policy {
  const { read, write, run, net } = grantedScopes(denial);
  const asIs = (entry: string): readonly string[] => [entry];
  const wider = joinScopes(policy.net, readScope(net ?? false, asIs));
  return {
    ...policy,
    read: joinScopes(policy.read, readScope(read ?? false, asIs)),
    write: joinScopes(policy.write, readScope(write ?? false, asIs)),
    run: joinScopes(policy.run, readScope(run ?? false, asIs)),
    net: wider,
    ...(net === undefined ? {} : { env: netEnvironment(policy.env, { net: wider, sandbox: policy.sandbox }) }),
  };
}
