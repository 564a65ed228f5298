import { type CauseKind, type ConnectionCause, connectionCause } from "../../core/support/connection_cause.ts";
import type { ProviderFailure } from "../../core/provider.ts";
import { type FailureContext, publicText } from "./failure_message.ts";

/** What to do about each cause, and whether the same request can succeed later. */
const FIXES: Readonly<Record<CauseKind, readonly [fix: string, retry: boolean]>> = {
  denied: ["Run it with --allow-net for that host", false],
  proxy_login: ["", false],
  proxy_denied: ["", false],
  proxy: ["", true],
  refused: ["Is the server running? Check --base-url", true],
  name: ["Check --base-url and the network", true],
  plain: ["Use http:// in --base-url if the server has no TLS", false],
  not_http: ["Use https:// in --base-url if the server has TLS, and check the port", false],
  certificate: [
    "Check https:// or http:// in --base-url, and set DENO_TLS_CA_STORE=system to use the certificate authorities of this machine",
    false,
  ],
  unreachable: ["Check --base-url and the network", true],
  timeout: ["Try again, or check the server's load", true],
  broken: ["Try again", true],
  address: ["Check --base-url", false],
};

/** The failure of a request that got no answer, or whose answer broke off on the way. Never throws; holds no key. */
export function connectionFailure(error: unknown, context: FailureContext): ProviderFailure {
  const cause = connectionCause(error);
  if (cause && cause.kind !== "broken") {
    const [fix, retry] = FIXES[cause.kind];
    const { proxy } = cause;
    const message = proxy
      ? `Cannot reach ${context.host} through the proxy ${proxy.address} (from ${proxy.variable}): ${cause.why}. ` +
        `${proxyFix(cause, context.host)}.`
      : `Cannot reach ${context.host}: ${cause.why}. ${fix}.`;
    return { kind: retry ? "network" : "bad_request", message, retry };
  }
  const through = cause?.proxy ? ` through the proxy ${cause.proxy.address} (from ${cause.proxy.variable})` : "";
  const why = cause ? "the answer is not complete" : publicText(reasonOf(error), context.secrets);
  return {
    kind: "network",
    message: `The connection to ${context.host}${through} broke: ${why}. Try again.`,
    retry: true,
  };
}

function proxyFix({ kind, proxy }: ConnectionCause, host: string): string {
  const variable = proxy?.variable ?? "the variable";
  const name = host.replace(/:\d+$/, "");
  const around = `or add ${name} to NO_PROXY to connect directly`;
  if (kind === "proxy_login") {
    return `Put user and password into ${variable} (http://USER:PASSWORD@HOST:PORT), ${around}`;
  }
  if (kind === "proxy_denied") return `Ask who runs the proxy to allow ${name}, correct ${variable}, ${around}`;
  return `Correct or unset ${variable}, ${around}`;
}

/** What the innermost error says; names of exceptions are not for people. */
function reasonOf(error: unknown): string {
  let link = error;
  for (let depth = 0; link instanceof Error && link.cause instanceof Error && depth < 6; depth++) link = link.cause;
  const text = link instanceof Error ? link.message : String(link);
  return text.replace(/\b(?:[A-Z]\w*Error|Error|NotCapable|Http): /g, "") || "the request failed";
}

/** The failure of a stream that ended before its reply did. */
export function cutStream(context: FailureContext, what: string): ProviderFailure {
  return { kind: "network", message: `The reply of ${context.host} is not complete: ${what}. Try again.`, retry: true };
}
