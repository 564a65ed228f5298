// Which grant would lift a denial. Decided here from the policy alone: whoever reports a denial, a runner that lies
// included, decides nothing but what a person is asked.
import { dirname, isAbsolute, normalize } from "@std/path";
import { attempt } from "../../core/support/attempt.ts";
import type { Denial } from "../../core/event.ts";
import { grantOption } from "../../core/grant_option.ts";
import { asFarAs, covers, isInside, type Policy, PROGRAM_LEVELS } from "../../core/policy.ts";
import { addressKind, isAddress } from "../policy/net_address.ts";
import { allowsHost, type HostRule, parseRule, ruleText } from "../policy/net_rules.ts";
import { realOf, type RealPath } from "../policy/path_entry.ts";
import { programFile } from "../policy/program_files.ts";
import { knowsHosts } from "../policy/program_scopes.ts";
import type { DenialClaim } from "./claim.ts";

/** Kernel file systems, which no grant opens. */
const KERNEL = ["/proc", "/dev", "/sys"];

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
    return policy.packed === undefined
      ? "--read-only or the project's settings forbid it"
      : `--read-only, the project's settings or the scopes of ${policy.packed} forbid it`;
  }
  if (kind === "run") return allows(policy, claim) ? undefined : "no single program can be allowed here";
  if (kind === "net") {
    return allows(policy, claim)
      ? undefined
      : `only the command line can allow it, with ${grantOption("net", target)}${asFarAs(policy)}`;
  }
  const path = realOf(normalize(target), realPath);
  const isIn = (list: readonly string[]): boolean => list.some((folder) => isInside(folded(path), folded(folder)));
  if (isIn(policy.denyRead)) return "it may hold secrets or was denied by you, and no grant opens it";
  if (kind === "write" && isIn(policy.protected)) return "it is protected, only you can change it";
  if (kind === "write" && isIn(policy.denyWrite)) return "it was denied for writing, and no grant opens it";
  if (kind === "read" && covers(policy.read, path) && policy.denyRead.some((denied) => isInside(denied, path))) {
    return "what is in it may hold secrets; what else is in it can be read by its name";
  }
  if (covers(policy[kind], path)) return undefined;
  const option = grantOption(kind, kind === "read" ? path : dirname(path));
  return `only the command line can allow it, with ${option}${asFarAs(policy)}`;
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
  const closed = [
    ...KERNEL,
    ...policy.denyRead,
    ...(kind === "write" ? [...policy.denyWrite, ...policy.protected] : []),
  ].map(folded);
  if (closed.some((folder) => isInside(folded(path), folder))) return undefined;
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

/** As a forgiving file system compares: letter case, composition and invisible characters do not count. */
function folded(path: string): string {
  return path.normalize("NFC").replace(/\p{Cf}/gu, "").toLowerCase();
}
