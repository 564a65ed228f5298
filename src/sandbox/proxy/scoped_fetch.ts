import { messageOf, ToolError } from "../../core/error.ts";
import { grantOption } from "../../core/grant_option.ts";
import type { Scope } from "../../core/policy.ts";
import { canonicalHost, hostText, parseRule } from "../policy/net_rules.ts";
import { acceptEach } from "./accept.ts";
import { proxyAuthorization } from "./environment.ts";
import type { NetOptions } from "./gate.ts";
import { MACHINE_NET } from "./network.ts";
import { PROXY_LIMITS, serveConnection } from "./proxy.ts";
import { closeQuietly } from "./relay.ts";
import { chooseOpenTarget } from "./target.ts";

/** Fetches for the host itself, no further than a network scope reaches. */
export interface ScopedFetch {
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  /** What was denied, one line each, every host once. */
  notes(): readonly string[];
  /** Ends every connection. Safe to call twice. */
  close(): void;
}

/**
 * Opens a fetch for one origin, whose host must be in the scope. Where the scope lists hosts, requests go through the same
 * proxy as those of confined programs: it resolves the name, judges each address and connects to that very one.
 *
 * `isJudged`: a scope of all hosts goes that way too, and opens neither this machine nor its link unless its list does so.
 *
 * Redirects are never followed here: the answer is given as it is. Throws ToolError, with the grant, for a host
 * outside, and for an address of another kind.
 */
export function openScopedFetch(
  origin: URL,
  net: Scope,
  options: NetOptions = { world: MACHINE_NET, limits: PROXY_LIMITS },
  isJudged = false,
): ScopedFetch {
  // What a server names may be an address of anything: a fetch would read files (file:) as well.
  if (!/^https?:$/.test(origin.protocol)) throw new ToolError(`${origin.protocol} is no http or https address`);
  const plain = (client?: Deno.HttpClient): ScopedFetch["fetch"] => async (url, init) => {
    const target = new URL(url);
    if (target.origin !== origin.origin) {
      throw new Error(`a request for ${target.host} was not sent: it is another host`);
    }
    try {
      return await fetch(target, { ...init, redirect: "manual", ...(client ? { client } : {}) });
    } catch (error) {
      if (init?.signal?.aborted) throw error;
      // The runtime's own words are for nobody: what calls this often shows the message of an error alone.
      throw new Error(messageOf(error), { cause: error });
    }
  };
  if (net.all && !isJudged) return { fetch: plain(), notes: () => [], close: () => {} };

  const host = canonicalHost(origin.hostname) ?? origin.hostname;
  const port = portOf(origin);
  if (!net.all && net.list.length === 0) {
    throw new ToolError(
      `${host} is not in the network scope; only the user can allow it: ${grantOption("net", hostText(host, port))}`,
    );
  }
  const token = crypto.getRandomValues(new Uint8Array(24)).toHex();
  mayIgnoreExceptions();
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.Conn>();
  const denied = new Set<string>();
  const scope = {
    ...options,
    rules: net.list.map(parseRule),
    ...(net.all ? { choose: chooseOpenTarget } : {}),
    authorization: proxyAuthorization(token),
    onDenied: (note: string): void => void denied.add(note),
    onUnreached: (note: string): void => void denied.add(note),
  };
  const serve = async (conn: Deno.Conn): Promise<void> => {
    const opened = [conn];
    open.add(conn);
    await serveConnection(conn, scope, (server) => {
      opened.push(server);
      open.add(server);
    });
    for (const one of opened) open.delete(one);
  };
  // Closing the listener ends the loop.
  void acceptEach(listener, serve);
  const proxy = `http://127.0.0.1:${listener.addr.port}`;
  const client = withoutExceptions(() =>
    Deno.createHttpClient({ proxy: { url: proxy, basicAuth: { username: "sandpiper", password: token } } })
  );
  let isClosed = false;
  return {
    fetch: plain(client),
    notes: () => [...denied],
    close() {
      if (isClosed) return;
      isClosed = true;
      client.close();
      closeQuietly(listener);
      for (const conn of open) closeQuietly(conn);
    },
  };
}

/** The port of an http or https address. */
export function portOf({ port, protocol }: URL): number {
  return port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
}

/** Hosts that Deno's clients reach without any proxy, one that a program names included; read when a client is made. */
const EXCEPTIONS = ["NO_PROXY", "no_proxy"] as const;

/** Throws where this process may not look at them: they would hold all the same. */
function mayIgnoreExceptions(): void {
  const may = EXCEPTIONS.every((variable) => Deno.permissions.querySync({ name: "env", variable }).state === "granted");
  if (!may) throw new ToolError("this process may not look at NO_PROXY, which could lead around the network scope");
}

/** Makes a client for which the user's exceptions do not hold: what goes around the proxy is judged by nobody. */
function withoutExceptions<T>(make: () => T): T {
  const kept = EXCEPTIONS.map((name) => [name, Deno.env.get(name)] as const);
  try {
    for (const [name, value] of kept) if (value !== undefined) Deno.env.delete(name);
    return make();
  } finally {
    for (const [name, value] of kept) if (value !== undefined) Deno.env.set(name, value);
  }
}
