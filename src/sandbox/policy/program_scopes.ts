import { UserError } from "../../core/error.ts";
import type { Policy, SandboxLevel, Scope } from "../../core/policy.ts";
import { commonRule, coversRule, intersectRules, parseRule, ruleText } from "./net_rules.ts";
import { EVERYTHING, NOTHING, unique } from "./scopes.ts";

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

/**
 * The net scope less its denials: everything, nothing or rules in canonical form; throws UserError for a list where
 * nothing could enforce it, and for a denial that would have to be cut out of a wider grant.
 */
export function netScope(
  wanted: Scope,
  denied: Scope,
  level: SandboxLevel,
  noHosts: () => string | undefined = () => whyNoHosts(level),
): Scope {
  if (denied.all) return NOTHING;
  const denials = denied.list.map(parseRule);
  if (wanted.all) {
    if (denials.length === 0) return EVERYTHING;
    throw cannotDeny(denials.map(ruleText), "all of the network");
  }
  const rules = wanted.list.map(parseRule).filter((rule) => !denials.some((denial) => coversRule(denial, rule)));
  for (const rule of rules) {
    const cut = denials.filter((denial) => commonRule(denial, rule));
    if (cut.length > 0) throw cannotDeny(cut.map(ruleText), ruleText(rule));
  }
  if (rules.length === 0) return NOTHING;
  const why = noHosts();
  if (why === undefined) return { all: false, list: unique(rules.map(ruleText)) };
  throw new UserError({
    what: `Cannot allow the network by host (${rules.map(ruleText).join(", ")})`,
    why: `the kernel knows addresses but no host names, and no proxy that does can be put in between: ${why}`,
    fix:
      "Make kernel+ work (see sandpiper doctor), allow all of the network with --allow-net, or none by leaving it out",
    exitCode: 3,
  });
}

/** Why a level cannot limit the network to a list of hosts; undefined where it can. At the level kernel the machine decides. */
export function whyNoHosts(level: SandboxLevel): string | undefined {
  return level === "kernel+" ? undefined : `here the sandbox is ${level}`;
}

/** Whether a person can allow hosts one by one. */
export function knowsHosts(policy: Pick<Policy, "sandbox" | "net" | "holdsHosts">): boolean {
  return policy.holdsHosts === true || hasOwnLoopback(policy);
}

/** Whether a command can serve itself on loopback, and reaches no other server there. */
export function hasOwnLoopback({ sandbox, net }: Pick<Policy, "sandbox" | "net">): boolean {
  return sandbox === "kernel+" || (sandbox === "kernel" && net.list.length > 0);
}

/** What both net scopes cover. */
export function intersectHosts(a: Scope, b: Scope): Scope {
  if (a.all) return b;
  return b.all ? a : { all: false, list: intersectRules(a.list, b.list) };
}

function cannotDeny(denied: readonly string[], allowed: string): UserError {
  return new UserError({
    what: `Cannot deny the network for ${denied.join(", ")} alone`,
    why: `${allowed} is allowed, and denying a part of a grant by name would not hold: addresses have many names`,
    fix: "List what may be reached instead, for example --allow-net=example.com:443, or leave the grant out",
    exitCode: 3,
  });
}
