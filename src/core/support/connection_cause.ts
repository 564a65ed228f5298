import { type HttpProxy, proxyFor } from "./http_proxy.ts";

/** Why a connection failed. */
export type CauseKind =
  | "denied"
  | "proxy_login"
  | "proxy_denied"
  | "proxy"
  | "refused"
  | "name"
  | "plain"
  | "not_http"
  | "certificate"
  | "unreachable"
  | "timeout"
  | "broken"
  | "address";

/** Why a connection failed, as a clause. */
export interface ConnectionCause {
  readonly kind: CauseKind;
  /** About the server, or about the proxy if there is one; without addresses that could contain a key. */
  readonly why: string;
  /** The proxy of the environment that is the reason. */
  readonly proxy?: HttpProxy;
}

/** What the runtime says, and what it means. The first that matches counts. */
const CAUSES: readonly (readonly [pattern: RegExp, kind: CauseKind, why: string])[] = [
  [/NotCapable|requires net access/i, "denied", "this program may not open connections there"],
  [/proxy authentication required/i, "proxy_login", "the proxy requires a login"],
  [/tunnel/i, "proxy_denied", "the proxy denied the connection"],
  [/proxy server unreachable|socks|invalid response version/i, "proxy", "the proxy cannot be used"],
  [/refused/i, "refused", "nothing listens there (connection refused)"],
  [/dns|lookup|name or service|nodename|resolve|EAI_AGAIN|ENOTFOUND/i, "name", "the host name cannot be resolved"],
  [/corrupt message|InvalidContentType|wrong version number/i, "plain", "it does not use TLS there"],
  [/invalid HTTP version|invalid HTTP status|HttpParse|invalid header/i, "not_http", "it does not answer with HTTP"],
  [/certificate|UnknownIssuer|NotValidForName|CertExpired/i, "certificate", "its TLS certificate is not trusted"],
  [/tls|handshake|ssl|alert/i, "certificate", "no trusted TLS connection can be made"],
  [/unreachable|no route/i, "unreachable", "there is no route to its address"],
  [/timed? ?out|timeout/i, "timeout", "it did not answer in time"],
  [
    /invalid url|relative url|unsupported scheme|scheme .* not supported|InvalidUri/i,
    "address",
    "the address is not usable",
  ],
  [
    /reset|closed|broken pipe|aborted|incomplete|unexpected eof|end of file|body/i,
    "broken",
    "the connection was closed too early",
  ],
];

/** What a proxy of the environment is the reason for, and how that is said. */
const OF_PROXY: Readonly<Partial<Record<CauseKind, string>>> = {
  refused: "nothing listens at the proxy (connection refused)",
  name: "the name of the proxy cannot be resolved",
  unreachable: "there is no route to the proxy",
  timeout: "no answer came through the proxy in time",
  plain: "the proxy does not speak the protocol of its address",
  proxy: "the proxy cannot be used",
  proxy_login: "the proxy requires a login",
  proxy_denied: "the proxy denied the connection",
};

/**
 * Why a request got no answer; undefined if the error is not about a connection. The names of the runtime's exceptions
 * are never part of it.
 */
export function connectionCause(error: unknown, proxyOf = proxyFor): ConnectionCause | undefined {
  const texts: string[] = [];
  for (let link = error; link instanceof Error && texts.length < 6; link = link.cause) {
    texts.push(`${link.name} ${link.message}`);
  }
  const whole = texts.join(" ");
  const address = requestAddress(whole);
  // An address may contain any of these words.
  const words = whole.replace(/\b[a-z]+:\/\/\S+/gi, "");
  const found = CAUSES.find(([pattern]) => pattern.test(words));
  if (!found) return address === undefined ? undefined : { kind: "broken", why: "no answer came" };
  const [, kind, why] = found;
  const proxy = address === undefined ? undefined : proxyOf(address);
  const ofProxy = proxy && OF_PROXY[kind];
  return proxy && ofProxy !== undefined ? { kind, why: ofProxy, proxy } : { kind, why };
}

/** The address that the runtime names in the error of a request. */
export function requestAddress(text: string): string | undefined {
  const [, first, second] = /error sending request (?:for url \((\S+?)\)|from \S+ for (\S+) \()/.exec(text) ?? [];
  return first ?? second;
}

/** The cause as a clause that names the proxy. */
export function causeText({ why, proxy }: ConnectionCause): string {
  return proxy ? `${why}: ${proxy.address}, from ${proxy.variable}` : why;
}
