import { UserError } from "../core/error.ts";
import type { Scope } from "../core/policy.ts";
import { NOTHING } from "./scopes.ts";

/** The run scope less its denials; throws UserError for a denial that nothing could enforce. */
export function runScope(wanted: Scope, denied: Scope): Scope {
  if (denied.all) return NOTHING;
  if (wanted.all && denied.list.length > 0) {
    throw new UserError({
      what: `Cannot deny the programs ${denied.list.join(", ")} alone`,
      why: "a shell that may run programs can reach any of them in other ways",
      fix: "List what may run instead, for example --allow-run=git,deno, or deny all of it with --deny-run",
      exitCode: 3,
    });
  }
  return { all: wanted.all, list: wanted.list.filter((name) => !denied.list.includes(name)) };
}

/** The net scope less its denials: everything or nothing; throws UserError for a list of hosts. */
export function netScope(wanted: Scope, denied: Scope): Scope {
  if (denied.all) return NOTHING;
  const list = wanted.list.filter((host) => !denied.list.includes(host));
  if (wanted.all && denied.list.length === 0) return { all: true, list: [] };
  if (!wanted.all && list.length === 0) return NOTHING;
  throw new UserError({
    what: `Cannot ${wanted.all ? "deny" : "allow"} the network by host (${
      (wanted.all ? denied : wanted).list.join(", ")
    })`,
    why: "the kernel knows addresses and ports but no host names, and this version has no proxy that does",
    fix: "Allow all of the network with --allow-net, or none by leaving it out",
    exitCode: 3,
  });
}
