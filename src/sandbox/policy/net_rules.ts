import { UserError } from "../../core/error.ts";
import { canonicalAddress, isAddress } from "./net_address.ts";
import { unique } from "./scopes.ts";

/** One entry of a network scope in canonical form. */
export interface HostRule {
  /** Name (lower case, ASCII, no final dot) or address (IPv6 without brackets). */
  readonly host: string;
  /** Undefined: every port. */
  readonly port: number | undefined;
  /** `*.HOST`: all names below the host, and not the host itself. */
  readonly below: boolean;
}

/** What no host holds; a URL parser would take these for something else or quietly turn them into other characters. */
// deno-lint-ignore no-control-regex -- refusing control characters is the point
const NO_HOST = /[\x00-\x20\x7f/?#@\\:%<>^|*`{}"'\[\]]/;
const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;
const LONGEST_NAME = 253;

/**
 * The one way to write a host, so that equal hosts are equal texts: case, international names, a final dot and the many
 * spellings of an address are gone. Undefined for what is no host. IPv6 addresses come in brackets.
 */
export function canonicalHost(text: string): string | undefined {
  if (text.startsWith("[")) return text.endsWith("]") ? canonicalAddress(text.slice(1, -1)) : undefined;
  if (text === "" || NO_HOST.test(text)) return undefined;
  const name = URL.parse(`http://${text}/`)?.hostname.replace(/\.$/, "");
  if (name === undefined || name.length > LONGEST_NAME) return undefined;
  return name.split(".").every((label) => LABEL.test(label)) ? name : undefined;
}

/** A port as people write it; undefined for anything but 1–65535 in plain digits. */
export function readPort(text: string): number | undefined {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= 65_535 ? port : undefined;
}

/** An entry of a network scope: HOST, HOST:PORT, *.HOST, an address; throws UserError for anything else. */
export function parseRule(text: string): HostRule {
  const bare = text.trim();
  const split = /^(?<host>\[[^\]]*\]|[^:]*)(?::(?<port>.*))?$/.exec(bare);
  // An IPv6 address without brackets has no port.
  const address = (bare.match(/:/g)?.length ?? 0) > 1 ? canonicalAddress(bare) : undefined;
  const written = split?.groups?.["host"] ?? "";
  const below = written.startsWith("*.");
  const host = address ?? canonicalHost(below ? written.slice(2) : written);
  const given = address === undefined ? split?.groups?.["port"] : undefined;
  const port = given === undefined ? undefined : readPort(given);
  if (host === undefined || (given !== undefined && port === undefined) || (below && isAddress(host))) {
    throw new UserError({
      what: `Cannot allow the network for "${text}"`,
      why: /:\/\//.test(text) ? "it is an address of a page and not of a host" : "it is no host, HOST:PORT or *.HOST",
      fix: "Write a name or an address with or without a port, for example --allow-net=example.com:443,*.example.org",
    });
  }
  return { host, port, below };
}

/** A host as people write it: IPv6 addresses in brackets. */
export function hostText(host: string, port?: number): string {
  return (host.includes(":") ? `[${host}]` : host) + (port === undefined ? "" : `:${port}`);
}

/** A rule in the form that `parseRule` reads. */
export function ruleText(rule: HostRule): string {
  return (rule.below ? "*." : "") + hostText(rule.host, rule.port);
}

/** Whether a canonical host may be asked for at a port. */
export function allowsHost(rules: readonly HostRule[], host: string, port: number): boolean {
  return rules.some((rule) =>
    (rule.port ?? port) === port && (rule.below ? isBelow(host, rule.host) : host === rule.host)
  );
}

/** Whether an address itself stands in the list, with this port or every port. */
export function namesAddress(rules: readonly HostRule[], address: string, port: number): boolean {
  return rules.some((rule) => !rule.below && rule.host === address && (rule.port ?? port) === port);
}

/** Whether everything that `inner` allows is allowed by `outer`. */
export function coversRule(outer: HostRule, inner: HostRule): boolean {
  if (outer.port !== undefined && outer.port !== inner.port) return false;
  if (outer.below) return isBelow(inner.host, outer.host) || (inner.below && inner.host === outer.host);
  return !inner.below && inner.host === outer.host;
}

/** The rule that allows what both allow, or undefined. */
export function commonRule(a: HostRule, b: HostRule): HostRule | undefined {
  if (a.port !== undefined && b.port !== undefined && a.port !== b.port) return undefined;
  const port = a.port ?? b.port;
  const [hostA, hostB] = [{ ...a, port }, { ...b, port }];
  return coversRule(hostA, hostB) ? hostB : coversRule(hostB, hostA) ? hostA : undefined;
}

/** What both lists of rules allow, as rules. */
export function intersectRules(a: readonly string[], b: readonly string[]): string[] {
  const [rulesA, rulesB] = [a.map(parseRule), b.map(parseRule)];
  const common = rulesA.flatMap((one) => rulesB.map((other) => commonRule(one, other)));
  return unique(common.filter((rule) => rule !== undefined).map(ruleText));
}

function isBelow(host: string, parent: string): boolean {
  return !isAddress(host) && host.endsWith(`.${parent}`);
}
