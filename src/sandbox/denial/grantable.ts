// Which grant would lift a denial. Decided here from the policy alone: whoever reports a denial, a runner that lies
// included, decides nothing but what a person is asked.
import { dirname, isAbsolute, normalize } from "@std/path";
import { attempt } from "../../core/support/attempt.ts";
import type { Denial } from "../../core/event.ts";
import { fileWriteOption, grantOption, opensHome } from "../../core/grant_option.ts";
import { asFarAs, covers, isInside, type Policy, PROGRAM_LEVELS, whyNoGrant, whyUnlisted } from "../../core/policy.ts";
import { addressKind, isAddress } from "../policy/net_address.ts";
import { allowsHost, type HostRule, parseRule, ruleText } from "../policy/net_rules.ts";
import { realOf, type RealPath } from "../policy/path_entry.ts";
import { programFile } from "../policy/program_files.ts";
import { isStartupFile } from "../policy/protected_paths.ts";
import { knowsHosts } from "../policy/program_scopes.ts";
import type { DenialClaim } from "./claim.ts";

/** What steers a terminal, ends a line or makes a name look like another: such a name is never asked about. */
const DECEPTIVE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** A program's name or absolute path, in characters that look like nothing else. */
const PROGRAM = /^(?:\/[\w.+/-]+|[\w.+-]+)$/;

/**
 * The denial with its smallest grant; undefined where the policy denied nothing of the kind, or where only the command
 * line or the settings could allow it: secrets, what is protected, denials, whole homes.
 *
 * Paths come out real, all links followed: what is shown is what is granted.
 */
export function grantable(claim: DenialClaim, policy: Policy, realPath: RealPath): Denial | undefined {
  switch (claim.kind) {
    case "read":
    case "write":
      return ofPath(claim.kind, claim.target, policy, realPath);
    case "run":
      return ofProgram(claim.target, policy);
    case "net":
      return ofHost(claim.target, policy);
  }
}

/**
 * Why nobody can be asked about a denial, for the person: what no grant opens, or which option is the only way. Undefined
 * where the policy denied nothing of the kind.
 */
export function whyClosed(claim: DenialClaim, policy: Policy, realPath: RealPath): string | undefined {
  const { kind, target } = claim;
  if (grantable(claim, policy, realPath) !== undefined) {
    if (policy.sandbox === "permissions" && (kind === "read" || kind === "write") && !mayProcess(kind, target)) {
      return `Deno gave this program itself no ${kind} permission there; only deno run --allow-${kind}=… can`;
    }
    return policy.packed === undefined
      ? "--read-only or the project's settings forbid it"
      : `--read-only, the project's settings or the scopes of ${policy.packed} forbid it`;
  }
  if (kind === "run") return allows(policy, claim) ? undefined : "no single program can be allowed here";
  const option = startOption(claim, policy, realPath);
  if (option !== undefined) {
    const rule = kind === "net" ? "not in the network scope" : `outside the ${kind} scope`;
    return `it is ${rule}; only the command line can allow it, with ${option}${asFarAs(policy)}`;
  }
  if (kind === "net") return allows(policy, claim) ? undefined : UNSEEN;
  const path = realOf(normalize(target), realPath);
  const rule = whyNoGrant(kind, path, policy);
  if (rule === undefined && kind === "write" && isStartupFile(path, policy.home)) return STARTUP;
  if (rule !== undefined || !covers(policy[kind], path)) return rule ?? UNSEEN;
  return kind === "read" ? whyUnlisted(path, policy) : undefined;
}

function mayProcess(name: "read" | "write", path: string): boolean {
  return Deno.permissions.querySync({ name, path }).state === "granted";
}

const UNSEEN = "its name has characters that cannot be seen, so that nobody is asked";

const STARTUP = "programs run or load it at their start: only you can create it";

/**
 * The option that allows at the next start what nobody can be asked about; undefined where none does, and for a name that
 * does not look like what it is.
 */
export function startOption(claim: DenialClaim, policy: Policy, realPath: RealPath): string | undefined {
  const { kind, target } = claim;
  if (kind === "run" || DECEPTIVE.test(target) || grantable(claim, policy, realPath) !== undefined) return undefined;
  if (kind === "net") return allows(policy, claim) ? undefined : grantOption("net", target);
  const path = realOf(normalize(target), realPath);
  if (covers(policy[kind], path) || whyNoGrant(kind, path, policy) !== undefined) return undefined;
  if (kind === "read") return grantOption("read", path);
  if (target.endsWith("/")) return grantOption("write", path);
  const folder = dirname(path);
  if (opensHome(folder, policy)) {
    if (realPath(path) !== undefined) return fileWriteOption(path);
    // A grant of the home does not cover it.
    if (isStartupFile(path, policy.home)) return undefined;
  }
  return grantOption("write", folder);
}

/** Whether a policy allows what was denied. */
export function allows(policy: Policy, { kind, target }: DenialClaim): boolean {
  switch (kind) {
    case "read":
    case "write":
      return covers(policy[kind], target);
    case "run":
      return policy.run.all || (policy.run.list.includes(target) && "path" in programFile(target, policy));
    case "net":
      return policy.net.all || (target !== "*" && allowsTarget(policy, target));
  }
}

function ofPath(kind: "read" | "write", target: string, policy: Policy, realPath: RealPath): Denial | undefined {
  if (!isAbsolute(target)) return undefined;
  const path = realOf(normalize(target).replace(/(?<=.)\/+$/, ""), realPath);
  if (DECEPTIVE.test(path) || covers(policy[kind], path)) return undefined;
  if (whyNoGrant(kind, path, policy) !== undefined) return undefined;
  if (kind === "read") return { kind, target: path, grant: path === "/" ? "*" : path };
  // A new file, and an old one that is replaced in one step, change their folder. A slash at the end names a folder itself.
  const isFolder = target.endsWith("/");
  const folder = isFolder ? path : dirname(path);
  // Whoever writes in a home, or around it, decides what the next login runs; around the workspace, what is protected.
  if (isInside(policy.home, folder) || isInside(policy.root, folder)) return undefined;
  return { kind, target: isFolder && path !== "/" ? `${path}/` : path, grant: folder };
}

function ofProgram(target: string, policy: Policy): Denial | undefined {
  const { all, list } = policy.run;
  if (!PROGRAM_LEVELS.has(policy.sandbox) || all || list.includes(target) || !PROGRAM.test(target)) return undefined;
  return "path" in programFile(target, policy) ? { kind: "run", target, grant: target } : undefined;
}

function ofHost(target: string, policy: Policy): Denial | undefined {
  if (policy.net.all) return undefined;
  const everything: Denial = { kind: "net", target, grant: "*" };
  if (target === "*") return policy.net.list.length === 0 && policy.sandbox !== "kernel+" ? everything : undefined;
  const rule = readRule(target);
  if (rule === undefined || rule.below || allowsTarget(policy, target)) return undefined;
  // A metadata service gives keys away to whoever asks.
  if (isAddress(rule.host) && ["metadata", "link-local"].includes(addressKind(rule.host))) return undefined;
  const host = ruleText(rule);
  // Only a proxy between a command and the network knows hosts.
  return knowsHosts(policy) ? { kind: "net", target: host, grant: host } : { ...everything, target: host };
}

function allowsTarget({ net }: Policy, target: string): boolean {
  const rule = readRule(target);
  return rule !== undefined && allowsHost(net.list.map(parseRule), rule.host, rule.port ?? 443);
}

function readRule(text: string): HostRule | undefined {
  return attempt(() => parseRule(text));
}
