/** The proxy that the environment sets for an address. */
export interface HttpProxy {
  /** Host and port, with the scheme if it is not http; never a password. */
  readonly address: string;
  /** The variable that names it. */
  readonly variable: string;
}

/** Returns a variable of the environment; undefined if it is not set, or may not be read. */
type Variable = (name: string) => string | undefined;

function ofProcess(name: string): string | undefined {
  if (Deno.permissions.querySync({ name: "env", variable: name }).state !== "granted") return undefined;
  return Deno.env.get(name);
}

/** The variables that name proxies, by the scheme of the address; the first that is set counts. */
const VARIABLES: Readonly<Record<string, readonly string[]>> = {
  "http:": ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"],
  "https:": ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"],
};

/** Every variable that names a proxy. */
export const PROXY_VARIABLES: ReadonlySet<string> = new Set(Object.values(VARIABLES).flat());

/** The proxy that requests to an address go through; undefined if they go directly. */
export function proxyFor(address: string, variable: Variable = ofProcess): HttpProxy | undefined {
  const url = URL.parse(address);
  const name = VARIABLES[url?.protocol ?? ""]?.find((one) => (variable(one) ?? "") !== "");
  if (!url || name === undefined || isDirect(url.hostname, exceptions(variable))) return undefined;
  const value = variable(name) ?? "";
  const proxy = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`);
  if (!proxy || proxy.hostname === "") return undefined;
  const scheme = proxy.protocol === "http:" ? "" : `${proxy.protocol}//`;
  const port = proxy.port === "" ? "" : `:${proxy.port}`;
  return { address: `${scheme}${proxy.hostname}${port}`, variable: name };
}

/** This machine is never reached through a proxy. */
const LOOPBACK = ["localhost", ".localhost", "127.0.0.0/8", "::1", "0.0.0.0"];

/**
 * The hosts that are reached directly: those of `NO_PROXY` and this machine. In forms that the runtime knows: names,
 * `.suffix`, addresses and ranges; `*` is every host, `*.suffix` is a suffix, and a port is omitted.
 */
export function exceptions(variable: Variable = ofProcess): readonly string[] {
  const named = (variable("NO_PROXY") || variable("no_proxy") || "").split(/[\s,]+/).flatMap((entry) => {
    const host = entry.replace(/^\[([^\]]*)\](?::\d+)?$/, "$1").replace(/^([^:]*):\d+$/, "$1").toLowerCase();
    if (host === "") return [];
    return host === "*" ? ["*", "0.0.0.0/0", "::/0"] : [host.replace(/^\*\./, ".")];
  });
  return [...new Set([...named, ...LOOPBACK])];
}

function isDirect(hostname: string, entries: readonly string[]): boolean {
  const host = hostname.replace(/^\[|\]$/g, "").toLowerCase();
  const bits = bitsOf(host);
  return entries.some((entry) => {
    if (entry === "*") return true;
    if (bits === undefined) return host === entry.replace(/^\./, "") || host.endsWith(`.${entry.replace(/^\./, "")}`);
    const [base = "", length] = entry.split("/");
    const range = bitsOf(base);
    if (range === undefined || range.length !== bits.length) return false;
    const size = length === undefined ? bits.length : Number(length);
    return bits.slice(0, size) === range.slice(0, size);
  });
}

/** The bits of an IP address as text; undefined for a name. */
function bitsOf(host: string): string | undefined {
  const inUrl = host.includes(":") ? `[${host}]` : host;
  if (!/^[\d.]+$/.test(host) && !host.includes(":")) return undefined;
  const name = URL.parse(`http://${inUrl}/`)?.hostname;
  if (name === undefined) return undefined;
  if (!name.startsWith("[")) return name.split(".").map((part) => Number(part).toString(2).padStart(8, "0")).join("");
  const [head = "", tail] = name.slice(1, -1).split("::");
  const groups = (text: string): string[] => text === "" ? [] : text.split(":");
  const [first, last] = [groups(head), groups(tail ?? "")];
  const all = tail === undefined ? first : [...first, ...Array(8 - first.length - last.length).fill("0"), ...last];
  return all.map((group) => parseInt(group, 16).toString(2).padStart(16, "0")).join("");
}
