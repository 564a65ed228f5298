import type {
  AuthProvider,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { messageOf } from "../core/error.ts";
import type { HttpServer } from "./config.ts";

/** What a login gave: all that requests and renewals need, for one address. */
export interface Login {
  /** Of the server; a token goes nowhere else. */
  readonly url: string;
  readonly client: StoredOAuthClientInformation;
  readonly tokens: StoredOAuthTokens;
  readonly discovery: OAuthDiscoveryState;
  readonly resource?: string;
  /** What the server wanted besides when it last denied a request for its scope. */
  readonly wanted?: string;
}

/** The login of a server for its requests. */
export interface RequestAuth extends AuthProvider {
  /** Keeps what the server wants besides, for the next login. */
  wants(scope: string): void;
}

/** Where the login of one server is kept. */
export interface LoginStore {
  read(): Login | undefined;
  write(login: Login): void;
  /** Whether there was one. */
  remove(): boolean;
  /** Does work that no other process does at the same time. */
  alone<T>(work: () => Promise<T>): Promise<T>;
}

/** A `fetch` that goes to any host of the network scope; throws, with a sentence, for others. */
export type LoginFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** What the browser's way back brought. */
export interface Callback {
  readonly code: string;
  readonly iss?: string;
}

/** How a person logs in. */
export interface LoginDeps {
  readonly fetch: LoginFetch;
  /** Where the browser comes back to, on this machine's loopback. */
  readonly redirectUrl: string;
  /** Sends the person to the address; nothing is opened without their word. */
  readonly show: (address: URL) => Promise<void>;
  /** Settles when the browser comes back with this state; rejects with a clause. */
  readonly callback: (state: string) => Promise<Callback>;
  readonly client: { readonly name: string };
  /** What an earlier login gave: its scope is asked for again. */
  readonly before?: Login | undefined;
  /** The value of a variable that holds a secret; throws a clause. */
  readonly secret: (variable: string) => string;
}

/** The client of the settings; undefined if they name none. Throws a clause if its secret cannot be had. */
function namedClient(
  { clientId, clientSecretEnv }: NonNullable<HttpServer["oauth"]>,
  secret: LoginDeps["secret"],
): StoredOAuthClientInformation | undefined {
  if (clientId === undefined) return undefined;
  if (clientSecretEnv === undefined) return { client_id: clientId };
  return { client_id: clientId, client_secret: secret(clientSecretEnv) };
}

/** Words of scopes, each once. */
function joinedScopes(...scopes: readonly (string | undefined)[]): string | undefined {
  const all = new Set(scopes.flatMap((scope) => scope?.split(/\s+/).filter((word) => word !== "") ?? []));
  return all.size > 0 ? [...all].join(" ") : undefined;
}

/** Whether credentials may travel to an address: encrypted, or within this machine. */
function isConfidential({ protocol, hostname }: URL): boolean {
  return protocol === "https:" ||
    (protocol === "http:" && (hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname)));
}

/**
 * Logs in to a server by OAuth 2.1: the server names its authorization server (RFC 9728, RFC 8414), this program registers
 * there unless the settings name a client (RFC 7591), and a code with PKCE (S256) is changed into tokens.
 *
 * Rejects with a clause; undefined where the server answers without a login.
 */
export async function logIn(server: HttpServer, deps: LoginDeps): Promise<Login | undefined> {
  const library = await import("@modelcontextprotocol/client");
  const { url, oauth = {} } = server;
  const earlier = deps.before?.url === url ? deps.before : undefined;
  if (oauth.grant === "client_credentials") return await logInAlone(server, deps, earlier);
  if (!isConfidential(new URL(url))) throw new Error("a token would be sent without encryption; use https");
  const asked = await deps.fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
  });
  await asked.body?.cancel();
  const challenge = library.extractWWWAuthenticateParams(asked);
  if (asked.status !== 401) return undefined;

  const state = crypto.getRandomValues(new Uint8Array(32)).toBase64({ alphabet: "base64url", omitPadding: true });
  let verifier = "";
  const named = namedClient(oauth, deps.secret);
  let kept: Partial<{ -readonly [K in keyof Login]: Login[K] }> = { url, ...(named ? { client: named } : {}) };
  const provider: OAuthClientProvider = {
    redirectUrl: deps.redirectUrl,
    clientMetadata: {
      client_name: deps.client.name,
      redirect_uris: [deps.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      ...(named && "client_secret" in named ? {} : { token_endpoint_auth_method: "none" }),
      ...(oauth.scope === undefined ? {} : { scope: oauth.scope }),
    },
    state: () => state,
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void (kept = { ...kept, client }),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void (kept = { ...kept, tokens }),
    redirectToAuthorization: (address) => deps.show(checkedAddress(address)),
    saveCodeVerifier: (text) => void (verifier = text),
    codeVerifier: () => verifier,
    discoveryState: () => kept.discovery,
    saveDiscoveryState: (discovery) => void (kept = { ...kept, discovery }),
    saveResourceUrl: (resource) => void (kept = { ...kept, resource }),
  };
  // A token for less would be refused for what the last one was enough for.
  const more = earlier?.wanted === undefined ? undefined : joinedScopes(earlier.tokens.scope, earlier.wanted);
  const scope = oauth.scope ?? (more === undefined ? challenge.scope : joinedScopes(more, challenge.scope));
  const options = {
    serverUrl: url,
    fetchFn: deps.fetch,
    forceReauthorization: true,
    ...(scope === undefined ? {} : { scope }),
    ...(challenge.resourceMetadataUrl ? { resourceMetadataUrl: challenge.resourceMetadataUrl } : {}),
  };
  const coming = deps.callback(state);
  coming.catch(() => {}); // awaited below, if it comes so far
  await library.auth(provider, options);
  const { code, iss } = await coming;
  await library.auth(provider, { ...options, authorizationCode: code, ...(iss === undefined ? {} : { iss }) });
  const { tokens, discovery, resource } = kept;
  // The secret of the settings stays where it is.
  const client = named ? { client_id: named.client_id } : kept.client;
  if (!client || !tokens || !discovery) throw new Error("the authorization server gave no token");
  return { url, client, tokens, discovery, ...(resource === undefined ? {} : { resource }) };
}

/** Logs a client in that needs no user (`oauth.grant`). Rejects with a clause. */
async function logInAlone(
  { url, oauth = {} }: HttpServer,
  { fetch, secret, client }: Pick<LoginDeps, "fetch" | "secret" | "client">,
  earlier?: Login,
): Promise<Login> {
  const library = await import("@modelcontextprotocol/client");
  const named = namedClient(oauth, secret);
  if (!named) throw new Error("the settings name no client for it (oauth.clientId)");
  if (!isConfidential(new URL(url))) throw new Error("a token would be sent without encryption; use https");
  let kept: Partial<{ -readonly [K in keyof Login]: Login[K] }> = {};
  const provider: OAuthClientProvider = {
    redirectUrl: undefined,
    clientMetadata: { client_name: client.name, redirect_uris: [], grant_types: ["client_credentials"] },
    clientInformation: () => named,
    tokens: () => undefined,
    saveTokens: (tokens) => void (kept = { ...kept, tokens }),
    redirectToAuthorization: () => Promise.reject(new Error("it wants a user")),
    saveCodeVerifier: () => {},
    codeVerifier: () => "",
    prepareTokenRequest: (scope) =>
      new URLSearchParams({ grant_type: "client_credentials", ...(scope === undefined ? {} : { scope }) }),
    saveDiscoveryState: (discovery) => void (kept = { ...kept, discovery }),
    saveResourceUrl: (resource) => void (kept = { ...kept, resource }),
  };
  const scope = oauth.scope ?? joinedScopes(earlier?.tokens.scope, earlier?.wanted);
  await library.auth(provider, { serverUrl: url, fetchFn: fetch, ...(scope === undefined ? {} : { scope }) });
  const { tokens, discovery, resource } = kept;
  if (!tokens || !discovery) throw new Error("the authorization server gave no token");
  return {
    url,
    client: { client_id: named.client_id },
    tokens,
    discovery,
    ...(resource === undefined ? {} : { resource }),
  };
}

/** What a server names is opened in a browser: no address of another kind. */
function checkedAddress(address: URL): URL {
  if (isConfidential(address)) return address;
  throw new Error(
    `the address to log in at is neither https nor on this machine (${address.protocol}//${address.host})`,
  );
}

/**
 * The login of a server for its requests. A token that the server refuses is renewed once, by one process at a time; where
 * that cannot be, requests fail with a clause that names the command.
 *
 * @param onToken Hears every token that is used, so that it can be taken out of texts.
 */
export function requestAuth(
  name: string,
  server: HttpServer,
  store: LoginStore,
  fetch: LoginFetch,
  onToken: (token: string) => void,
  secret: LoginDeps["secret"],
): RequestAuth {
  const wanting = (): Error => new Error(`it wants a login: sandpiper mcp login ${name}`);
  const login = (): Login | undefined => {
    const kept = store.read();
    // A login for another address is none, whoever wrote it.
    return kept?.url === server.url && isConfidential(new URL(server.url)) ? kept : undefined;
  };
  let used: string | undefined;
  return {
    wants(scope) {
      const kept = login();
      if (kept && scope !== "") store.write({ ...kept, wanted: joinedScopes(kept.wanted, scope) ?? scope });
    },
    token() {
      used = login()?.tokens.access_token;
      if (used !== undefined) onToken(used);
      return Promise.resolve(used);
    },
    async onUnauthorized() {
      const refused = used;
      await store.alone(async () => {
        const kept = login();
        if (server.oauth?.grant === "client_credentials") {
          // Another process was faster.
          if (kept !== undefined && kept.tokens.access_token !== refused) return;
          return store.write(await logInAlone(server, { fetch, secret, client: { name: "sandpiper" } }, kept));
        }
        if (kept === undefined) throw wanting();
        const { client, tokens, discovery, resource } = kept;
        // Another process was faster.
        if (tokens.access_token !== refused) return;
        if (tokens.refresh_token === undefined) throw wanting();
        const { refreshAuthorization } = await import("@modelcontextprotocol/client");
        const fresh = await refreshAuthorization(discovery.authorizationServerUrl, {
          ...(discovery.authorizationServerMetadata ? { metadata: discovery.authorizationServerMetadata } : {}),
          clientInformation: namedClient(server.oauth ?? {}, secret) ?? client,
          refreshToken: tokens.refresh_token,
          ...(resource === undefined ? {} : { resource }),
          fetchFn: fetch,
        }).catch((error) => {
          onToken(tokens.refresh_token ?? "");
          throw new Error(`${wanting().message} (its token could not be renewed: ${messageOf(error)})`);
        });
        store.write({ ...kept, tokens: { ...tokens, ...fresh } });
      });
    },
  };
}
