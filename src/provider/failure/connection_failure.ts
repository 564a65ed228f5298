import { messageOf } from "../../core/error.ts";
import type { ProviderFailure } from "../../core/provider.ts";
import { type FailureContext, publicText } from "./failure_message.ts";

/** Everything that an error and its causes say, outermost first. */
function chainOf(error: unknown): string {
  const texts: string[] = [];
  for (let link = error; link !== undefined && texts.length < 6;) {
    texts.push(link instanceof Error ? `${link.name}: ${link.message}` : messageOf(link));
    link = link instanceof Error ? link.cause : undefined;
  }
  return texts.join(" < ");
}

const CAUSES: readonly (readonly [RegExp, string, string, boolean])[] = [
  [
    /NotCapable|requires net access/i,
    "this program may not open connections there",
    "Run it with --allow-net for that host",
    false,
  ],
  [/refused/i, "nothing listens there (connection refused)", "Is the server running? Check --base-url", true],
  [
    /dns|lookup|name or service|nodename|resolve|EAI_AGAIN|ENOTFOUND/i,
    "the host name cannot be resolved",
    "Check --base-url and the network",
    true,
  ],
  [
    /certificate|tls|handshake|ssl|UnknownIssuer/i,
    "no trusted TLS connection can be made",
    "Check https:// or http:// in --base-url, and DENO_TLS_CA_STORE=system for a certificate authority of your own",
    false,
  ],
  [
    /invalid url|relative url|unsupported scheme|scheme .* not supported/i,
    "the address is not usable",
    "Check --base-url",
    false,
  ],
  [/timed? ?out|timeout/i, "the server did not answer in time", "Try again, or check the server's load", true],
];

/** The failure of a request that got no answer, or whose answer broke off on the way. Never throws; holds no key. */
export function connectionFailure(error: unknown, context: FailureContext): ProviderFailure {
  const chain = chainOf(error);
  // An address in the message may hold any of these words.
  const words = chain.replace(/\bhttps?:\/\/\S+/gi, "");
  const known = CAUSES.find(([pattern]) => pattern.test(words));
  if (known) {
    const [, why, fix, retry] = known;
    return { kind: retry ? "network" : "bad_request", message: `Cannot reach ${context.host}: ${why}. ${fix}.`, retry };
  }
  const why = publicText(chain, context.secrets);
  return { kind: "network", message: `The connection to ${context.host} broke: ${why}. Try again.`, retry: true };
}

/** The failure of a stream that ended before its reply did. */
export function cutStream(context: FailureContext, what: string): ProviderFailure {
  return { kind: "network", message: `The reply of ${context.host} is not complete: ${what}. Try again.`, retry: true };
}
