import { covers, type Policy, whyNoGrant } from "../../core/policy.ts";
import type { ToolAccess } from "./named_files.ts";

/** What a policy lets tools do with names: a link inside a directory that they can write reaches no further than they do. */
export function toolAccess(policy: Policy): ToolAccess & { readonly roots: readonly string[] } {
  const { root, copyOf, write } = policy;
  return {
    roots: [root, ...(copyOf === undefined ? [] : [copyOf]), ...(write.all ? ["/"] : write.list)],
    whyDenied: (access, real, isLinked) =>
      whyNoGrant(access, real, policy) ??
        (!isLinked || covers(policy[access], real) ? undefined : `the policy does not let tools ${access} it`),
  };
}
