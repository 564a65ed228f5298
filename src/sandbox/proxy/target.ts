import { grantOption } from "../../core/grant_option.ts";
import { openedBy, type Restricted } from "../../core/policy.ts";
import { type AddressKind, addressKind, canonicalAddress, isAddress } from "../policy/net_address.ts";
import { allowsHost, type HostRule, hostText, namesAddress, ruleText } from "../policy/net_rules.ts";
import type { Network } from "./network.ts";

/** Where a request may go, or why it may not go anywhere. */
export type Target =
  | { readonly kind: "addresses"; readonly addresses: readonly string[] }
  /** The name has no address; `why` is the resolver's word. */
  | { readonly kind: "unknown"; readonly why: string }
  /** `note`: the same for the model, with the grant that would allow it. */
  | { readonly kind: "denied"; readonly why: string; readonly note: string };

const KINDS: Readonly<Record<Exclude<AddressKind, "public">, string>> = {
  "loopback": "an address of this machine",
  "private": "a private address",
  "link-local": "a link-local address",
  "metadata": "the address of a metadata service",
  "multicast": "a multicast address",
  "unspecified": "an address of this machine",
  "reserved": "a reserved address",
};

/** How many rules a note shows. */
const SHOWN = 8;

/**
 * Where a request of the host itself may go when the network is open as a whole: to every public and private address, and
 * to one of this machine, of its link or of a metadata service only where a rule names it: those are asked for by attackers.
 */
export function chooseOpenTarget(
  rules: readonly HostRule[],
  host: string,
  port: number,
  world: Network,
  policy: Restricted = {},
): Promise<Target> {
  const objection = (address: string | undefined, isOwn: boolean): string | undefined => {
    if (address === undefined) return KINDS.reserved;
    if (namesAddress(rules, address, port)) return undefined;
    const kind = isOwn ? "loopback" : addressKind(address);
    return kind === "public" || kind === "private" ? undefined : KINDS[kind];
  };
  return chooseAddresses(host, world, objection, (address, what) => {
    const why = `it leads to ${address}, ${what}, which has to be named`;
    // A list replaces the open network: the name has to be in it, too.
    const named = [...new Set([host, address])].map((one) => `+${hostText(one, port)}`);
    const note = `Denied: connect to ${hostText(host, port)}: ${why}, whatever else is open. ` +
      openedBy(`--allow-net=${named.join(",")} in place of a bare --allow-net`, policy);
    return { kind: "denied", why, note };
  });
}

/**
 * Decides where a request for a host may go: the host must be in the scope, and so must be each address that it turns out
 * to stand for, unless that is a public one.
 */
export async function chooseTarget(
  rules: readonly HostRule[],
  host: string,
  port: number,
  world: Network,
  policy: Restricted = {},
): Promise<Target> {
  if (!allowsHost(rules, host, port)) {
    return denied(rules, host, port, "not in the network scope", hostText(host, port), policy);
  }
  const objection = (address: string | undefined, isOwn: boolean): string | undefined => {
    // An address of an interface by its number (fe80::1%eth0) is no address here.
    if (address === undefined) return "no plain address";
    if (namesAddress(rules, address, port)) return undefined;
    const kind = addressKind(address);
    // The one name that says which address it means (RFC 6761).
    if (host === "localhost" && kind === "loopback") return undefined;
    if (kind !== "public") return KINDS[kind];
    return isOwn ? KINDS.loopback : undefined;
  };
  return await chooseAddresses(host, world, objection, (address, what) => {
    const why = `it leads to ${address}, ${what}, which is not in the network scope itself`;
    return denied(rules, host, port, why, hostText(address, port), policy);
  });
}

/**
 * Those of a host's addresses to which there is no objection, to be connected to as they are: asking for the name again may give
 * others. `objection` gets each in its one form (undefined: it has none) and whether it is the machine's own; `deny` the first
 * where all are objected to.
 */
async function chooseAddresses(
  host: string,
  world: Network,
  objection: (address: string | undefined, isOwn: boolean) => string | undefined,
  deny: (address: string, objection: string) => Target,
): Promise<Target> {
  const found = isAddress(host) ? [host] : await world.resolve(host).catch(whyUnresolved);
  if (typeof found === "string") return { kind: "unknown", why: found };
  const own = new Set(world.ownAddresses().map((address) => canonicalAddress(address)));
  const addresses: string[] = [];
  let first: Target | undefined;
  for (const text of found) {
    const address = canonicalAddress(text);
    const why = objection(address, address !== undefined && own.has(address));
    if (why === undefined) addresses.push(address ?? text);
    else first ??= deny(address ?? text, why);
  }
  return addresses.length > 0
    ? { kind: "addresses", addresses }
    : first ?? { kind: "unknown", why: "it has no address" };
}

/** getaddrinfo(3) tells a name that there is not from a resolver that does not answer. */
function whyUnresolved(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOTFOUND") return "there is no such name, or no name server";
  return code === "EAI_AGAIN" ? "no name server answers" : "its name cannot be resolved";
}

function denied(
  rules: readonly HostRule[],
  host: string,
  port: number,
  why: string,
  grant: string,
  policy: Restricted,
): Target {
  const shown = rules.slice(0, SHOWN).map(ruleText).join(", ") + (rules.length > SHOWN ? " and more" : "");
  const note = `Denied: connect to ${hostText(host, port)}: ${why} (allowed: ${shown}). ` +
    openedBy(grantOption("net", grant), policy);
  return { kind: "denied", why, note };
}
