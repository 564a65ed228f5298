import { grantOption } from "../../core/grant_option.ts";
import { openedBy, type Policy } from "../../core/policy.ts";
import { canonicalHost } from "../policy/net_rules.ts";
import { hasOwnLoopback, knowsHosts } from "../policy/program_scopes.ts";
import type { DenialClaim } from "./claim.ts";

/** Words of programs that found no network: no address for a name, no way to an address, no socket. */
const OFFLINE = new RegExp(
  [
    "Could not resolve (?:host|proxy)|Temporary failure (?:in name resolution|resolving)|Name or service not known",
    "nodename nor servname|Network is unreachable|No route to host|EAI_AGAIN|ENETUNREACH|dial tcp: lookup",
    "connect EACCES|connect EPERM|connect: Permission denied|urlopen error \\[Errno 13\\]|/dev/tcp/\\S+: Permission denied",
    "dns error: failed to lookup address|Failed to connect to|Couldn't connect to server",
  ].join("|"),
  "i",
);
/** Where the name stands that was not found: curl and git, node, wget. */
const HOST = /(?:resolve host(?:name)?:? |EAI_AGAIN |Resolving |dial tcp: lookup )([\w.-]+)/i;

/** Words of programs that nobody answered on an address of this machine. */
const REFUSED = /Connection refused|ECONNREFUSED|Could not connect/i;
const LOOPBACK = /(?<![\w.])(localhost|127\.\d+\.\d+\.\d+|::1|\[::1\])\]?(?:(?::|\/|\)?,? port )(\d{1,5}))?(?![\w.])/i;

/** What a line of a program's output says of the network that the policy closed. */
export interface NetHint {
  readonly note: string;
  readonly denial?: DenialClaim;
}

/** Who opens the network, as a sentence; while a plan is made no grant does. */
function allowedBy(policy: Policy, option: string): string {
  return policy.readingOnly ? "The network is closed until the user accepts the plan" : openedBy(option, policy);
}

/** Reads one line of a program's messages; undefined where the policy's network does not explain it. */
export function netHint(line: string, policy: Policy): NetHint | undefined {
  if (policy.net.all) return undefined;
  const isOffline = OFFLINE.test(line);
  const own = isOffline || REFUSED.test(line) ? loopbackHint(line, policy) : undefined;
  return own ?? (isOffline ? offlineHint(line, policy) : undefined);
}

function offlineHint(line: string, policy: Policy): NetHint {
  const { net } = policy;
  const host = canonicalHost(HOST.exec(line)?.[1] ?? "");
  // Elsewhere the network is allowed as a whole or not at all.
  const target = knowsHosts(policy) ? host : "*";
  const denial: Pick<NetHint, "denial"> = target === undefined ? {} : { denial: { kind: "net", target } };
  const note = net.list.length > 0
    ? `Sandbox: the network is limited to ${net.list.join(", ")}. ${allowedBy(policy, "--allow-net=+HOST")}.`
    : `Sandbox: commands have no network. ${allowedBy(policy, grantOption("net", target ?? "*"))}.`;
  return { note, ...denial };
}

/** Servers of this machine are out of reach as all others are, and a refusal looks as if nothing ran there. */
function loopbackHint(line: string, policy: Policy): NetHint | undefined {
  const found = LOOPBACK.exec(line);
  const isAnonymous = hasOwnLoopback(policy) && /^[^/]*Connection refused\W*$/i.test(line);
  if (found === null && !isAnonymous) return undefined;
  if (!hasOwnLoopback(policy)) {
    const allowed = allowedBy(policy, "--allow-net");
    const note = `Sandbox: commands have no network, not even to this machine's own servers. ${allowed}.`;
    return { note, denial: { kind: "net", target: "*" } };
  }
  const port = found?.[2];
  const host = found?.[1]?.replace(/^\[|\]$/g, "").toLowerCase() ?? "localhost";
  const target = `${host === "::1" ? "[::1]" : host}${port === undefined ? "" : `:${port}`}`;
  const allowed = allowedBy(policy, `--allow-net=+${port === undefined ? "localhost:PORT" : target}`);
  return {
    note:
      "Sandbox: a command's loopback is its own: servers that run outside of this command, the user's too, are not on " +
      `it. ${allowed}; a server of the command's own has to be started by the same command.`,
    ...(port === undefined ? {} : { denial: { kind: "net" as const, target } }),
  };
}

/** Exit codes for a network that is not there, of programs that are often told to say nothing. */
const SILENT: readonly (readonly [program: RegExp, codes: readonly number[]])[] = [
  [/^\s*curl\s/, [6, 7]],
  [/^\s*wget\s/, [4]],
];

/** The hint for a command that said nothing, by its exit code. */
export function silentHint(command: string, code: number, policy: Policy): NetHint | undefined {
  const isKnown = SILENT.some(([program, codes]) => program.test(command) && codes.includes(code));
  const { net, sandbox } = policy;
  if (!isKnown || net.all || net.list.length > 0 || sandbox === "off" || sandbox === "permissions") return undefined;
  return offlineHint("", policy);
}
