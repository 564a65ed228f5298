import type { FailureKind } from "../../core/provider.ts";
import type { HttpProxy } from "../../core/support/http_proxy.ts";
import { hideSecrets } from "../../core/support/hide_secrets.ts";
import { stripControls, takeCharacters } from "../../core/support/text.ts";

/** Where a failure happened; what its message may and must not say. */
export interface FailureContext {
  readonly host: string;
  readonly model: string;
  /** The variable that held the key. */
  readonly apiKeyEnv?: string;
  /** The proxy of the environment that passes on requests without TLS, so that an answer may be its own. */
  readonly proxy?: HttpProxy;
  /** There was no key. */
  readonly isKeyless?: boolean;
  /** Never to appear in a message. */
  readonly secrets: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The tools of the request, in their order. */
  readonly tools?: readonly { readonly name: string }[];
}

/** The parts of a message about a server's reply. */
export interface FailureParts extends FailureContext {
  readonly status?: number;
  readonly serverText: string;
  /** Names of tools that the server blames, perhaps by their place alone. */
  readonly blamed?: readonly string[];
}

const MAX_SERVER_TEXT = 300;
/** Shorter secrets are parts of ordinary words. UTF-16 units. */
const SHORTEST = 4;

/** A text of the server's, on one line, without controls and without anything that looks like a key. */
export function publicText(text: string, secrets: readonly string[]): string {
  const clean = hideSecrets(stripControls(text), secrets, SHORTEST).replace(
    /\b(?:sk|pk|gsk|xai|key)-[A-Za-z0-9_*.-]{6,}/g,
    "[key]",
  )
    .replace(/\bBearer\s+\S+/gi, "Bearer [key]")
    .replace(/\s+/g, " ").trim();
  const cut = takeCharacters(clean, MAX_SERVER_TEXT);
  return cut.length < clean.length ? `${cut}…` : cut;
}

/** Answers that a proxy may have given in place of the server. */
const OF_PROXIES: ReadonlySet<number> = new Set([403, 407, 502, 503, 504]);

function advice(kind: FailureKind, parts: FailureParts): string {
  const { status, host, model, apiKeyEnv, isKeyless, serverText, blamed = [], proxy } = parts;
  if (status === 407) {
    return `The proxy requires a login: put user and password into ${proxy?.variable ?? "the variable of the proxy"} ` +
      "(http://USER:PASSWORD@HOST:PORT)";
  }
  const variable = apiKeyEnv ?? "the key's variable";
  if (status === 404 || status === 405) {
    return `Check the model name "${model}" and the path of --base-url (most servers want it to end in /v1)`;
  }
  if (status !== undefined && status >= 300 && status < 400) {
    return "Set --base-url to where it leads, if you trust that";
  }
  switch (kind) {
    case "auth":
      if (isKeyless) {
        return `No key was sent: ${apiKeyEnv ?? "the variable for it"} is not set. Put the key for ${host} into ${
          apiKeyEnv ?? "it"
        }, or name the variable that holds it with --api-key-env`;
      }
      return `The key was read from ${variable}: check that it belongs to ${host}, or name another variable with --api-key-env`;
    case "rate_limit":
      return status === 402 ? `Check the balance at ${host}` : "Wait, or check the plan and its limits";
    case "overload":
      return "The server is busy or broken: try again later, or another model";
    case "context_overflow":
      return "The request is larger than the context window, also after sandpiper shortened it: " +
        "use a model with a larger context window or fewer tools (-t), or start a new session";
    case "content_filter":
      return "The server's content filter refused: change the request";
    case "network":
      return "Try again";
    case "bad_request":
      // Newer models of OpenAI's take tools only there, and say so.
      if (/\/responses\b|Responses API/i.test(serverText)) return "Use --api responses for this model";
      if (blamed.length > 0) return "Fix or remove the MCP server or extension that brings the tool";
      return `Check that "${model}" is served there and accepts these settings`;
    case "aborted":
      return "The run was ended";
  }
}

/** Sentences for a person: which server, what it said, what to do. */
export function failureMessage(kind: FailureKind, parts: FailureParts): string {
  const said = publicText(parts.serverText, parts.secrets);
  const head = parts.status === undefined
    ? `${parts.host} broke off with an error`
    : `${parts.host} answered ${parts.status}`;
  const unnamed = (parts.blamed ?? []).filter((name) => !said.includes(name));
  const about = unnamed.length > 0 ? ` (about the tool ${unnamed.slice(0, 3).join(", ")})` : "";
  const { proxy, status = 0 } = parts;
  const through = proxy && OF_PROXIES.has(status)
    ? ` The request went through the proxy ${proxy.address} (from ${proxy.variable}), whose answer this may be.`
    : "";
  const around = through === "" || status === 407
    ? ""
    : `, or add ${parts.host.replace(/:\d+$/, "")} to NO_PROXY to connect without the proxy`;
  return `${head}${said === "" ? "" : `: "${said.replace(/\.$/, "")}"`}${about}.${through} ${
    advice(kind, parts)
  }${around}.`;
}
