import { type TemporaryFolder, temporaryFolder } from "../core/temporary_folder.ts";
import type { DenialClaim } from "./denial_claim.ts";
import { acceptEach } from "./net_accept.ts";
import { parseRule } from "./net_rules.ts";
import { proxyAuthorization, proxyVariables, SOCKET_NAME } from "./net_environment.ts";
import { closeQuietly, writeAll } from "./net_relay.ts";
import { PROXY_LIMITS, type ProxyLimits, serveConnection } from "./net_proxy.ts";
import { ownResponse } from "./net_response.ts";
import { MACHINE_NET, type NetWorld } from "./net_world.ts";

/** The way from one confined process to the listed hosts. */
export interface NetGate {
  /** Folder with the socket `SOCKET_NAME`; gone when `ready` resolves. */
  readonly folder: string;
  /** The bridge holds the socket, and nobody can find it any more. Never resolves where no bridge comes. */
  readonly ready: Promise<void>;
  /** What the command's environment needs; the token in it opens this gate alone. */
  readonly env: Readonly<Record<string, string>>;
  /** What was denied, one line each, every host once. */
  notes(): string[];
  /** The hosts that were denied for not being listed. */
  denied(): DenialClaim[];
  /** Those of the notes about what no list would open. */
  refused(): string[];
  /** Ends the listener and every connection. Safe to call twice. */
  close(): void;
}

/** How a gate meets the network; tests put another in its place. */
export interface NetOptions {
  readonly world: NetWorld;
  readonly limits: ProxyLimits;
}

/** Longest path of a socket (sun_path of unix(7), less its NUL). */
const LONGEST_PATH = 107;
const MOST_NOTES = 10;
/** More different hosts than anybody asks for by accident. */
const MOST_DENIED = 1_000;

/** Opens a gate for the hosts of a network scope. Every gate has a folder, a socket and a token of its own. */
export function openGate(
  list: readonly string[],
  options: NetOptions = { world: MACHINE_NET, limits: PROXY_LIMITS },
): NetGate {
  const rules = list.map(parseRule);
  const token = crypto.getRandomValues(new Uint8Array(24)).toHex();
  const { path: folder, remove } = makeFolder();
  const path = `${folder}/${SOCKET_NAME}`;
  const listener = Deno.listen({ transport: "unix", path });
  Deno.chmodSync(path, 0o600);

  const open = new Set<Deno.Conn>();
  let clients = 0;
  /** Notes, each with the host that is merely not listed. */
  const denied = new Map<string, string | undefined>();
  const scope = {
    ...options,
    rules,
    authorization: proxyAuthorization(token),
    onDenied: (note: string, host: string | undefined): void => {
      if (denied.size < MOST_DENIED) denied.set(note, host);
    },
  };

  const serve = async (conn: Deno.Conn): Promise<void> => {
    const opened = [conn];
    open.add(conn);
    clients++;
    try {
      if (clients > options.limits.connections) {
        await writeAll(conn, new TextEncoder().encode(ownResponse(503, "too many connections at a time")));
        return;
      }
      await serveConnection(conn, scope, (server) => {
        opened.push(server);
        open.add(server);
      });
    } catch {
      // The client went away.
    } finally {
      clients--;
      for (const one of opened) {
        open.delete(one);
        closeQuietly(one);
      }
    }
  };

  const { promise: ready, resolve: isReady } = Promise.withResolvers<void>();
  const accept = async (): Promise<void> => {
    // The first to come is the bridge, which says with it that it holds the socket: no command runs before that.
    closeQuietly(await listener.accept());
    remove();
    isReady();
    await acceptEach(listener, serve);
  };
  // Closing the listener ends the loop.
  accept().catch(() => {});

  return {
    folder,
    ready,
    env: proxyVariables(rules, token),
    notes: () => {
      const lines = [...denied.keys()];
      const more = lines.length - MOST_NOTES;
      return more > 0 ? [...lines.slice(0, MOST_NOTES), `Denied: connect to ${more} more hosts.`] : lines;
    },
    denied: () =>
      [...denied.values()].filter((host) => host !== undefined).map((target) => ({ kind: "net" as const, target })),
    refused: () => [...denied].filter(([, host]) => host === undefined).map(([note]) => note).slice(0, MOST_NOTES),
    close: () => {
      closeQuietly(listener);
      for (const conn of open) closeQuietly(conn);
      remove();
    },
  };
}

function makeFolder(): TemporaryFolder {
  const made = temporaryFolder({ prefix: "sandpiper-net-" });
  if (new TextEncoder().encode(`${made.path}/${SOCKET_NAME}`).length <= LONGEST_PATH) return made;
  made.remove();
  return temporaryFolder({ dir: "/tmp", prefix: "sandpiper-net-" });
}
