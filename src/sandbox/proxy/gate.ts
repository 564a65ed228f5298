import type { Policy, Restricted } from "../../core/policy.ts";
import { type TemporaryFolder, temporaryFolder } from "../system/temporary_folder.ts";
import type { DenialClaim } from "../denial/claim.ts";
import { connectAnswerer } from "../notification/answer_connect.ts";
import { answerCalls } from "../notification/answered_calls.ts";
import { whyNoAnsweredConnects } from "../notification/host_list.ts";
import { connectsTo } from "../policy/private_folders.ts";
import { parseRule } from "../policy/net_rules.ts";
import { acceptEach } from "./accept.ts";
import { BRIDGE_PORT, proxyAuthorization, proxyVariables, SOCKET_NAME } from "./environment.ts";
import { ownResponse } from "./http_head.ts";
import { MACHINE_NET, type Network } from "./network.ts";
import { openPort } from "./port.ts";
import { PROXY_LIMITS, type ProxyLimits, serveConnection } from "./proxy.ts";
import { closeQuietly, writeAll } from "./relay.ts";

/** The ways out of one confined process: to the listed hosts, and to sockets with a path. */
export interface NetGate {
  /** This process answers the other's connect() calls. */
  readonly answersConnects?: true;
  /** Folder with the socket `SOCKET_NAME` for a bridge; gone when `ready` resolves. Undefined where none is needed. */
  readonly folder?: string;
  /** Calls `start`, which starts the process, while that can take what it needs of the gate; once. */
  readonly lend: <T>(start: () => T) => T;
  /** The process's first frame, with what the gate adds. */
  readonly frame: (policy: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>;
  /** The process can reach the gate and nothing else. Never resolves where it does not come as far as that. */
  readonly ready: Promise<void>;
  /** What the command's environment needs; the token in it opens this gate alone. */
  readonly env: Readonly<Record<string, string>>;
  /** What was denied, one line each, every host once. */
  notes(): string[];
  /** The hosts that were denied for not being listed. */
  denied(): DenialClaim[];
  /** Those of the notes about what no list would open. */
  refused(): string[];
  /** Allowed hosts that could not be reached, one line each with the reason. */
  unreached(): string[];
  /** The hosts that were let through. */
  reached(): string[];
  /** Ends the listener and every connection. Safe to call twice. */
  close(): void;
}

/** How a gate meets the network; tests put another in its place. */
export interface NetOptions {
  readonly world: Network;
  readonly limits: ProxyLimits;
  /** As of ProxyScope. */
  readonly policy?: Restricted;
}

/** Longest path of a socket (sun_path of unix(7), less its NUL). */
const LONGEST_PATH = 107;
const MOST_NOTES = 10;
/** More different hosts than anybody asks for by accident. */
const MOST_DENIED = 1_000;

/** The gate of a process under a policy; undefined if it has none. To be closed in any case, started or not. */
export function gateOf(policy: Policy, options?: NetOptions): NetGate | undefined {
  const gate = netGateOf(policy, options);
  if (!mayConnect(policy)) return gate;
  try {
    return withConnects(gate ?? NO_GATE, policy);
  } catch (error) {
    gate?.close();
    throw error;
  }
}

/** What the start of a process depends on of its gate; see LaunchOptions. */
export function startOptions(gate: NetGate | undefined): { readonly gate?: string; readonly answersConnects?: true } {
  return {
    ...(gate?.folder === undefined ? {} : { gate: gate.folder }),
    ...(gate?.answersConnects ? { answersConnects: true } : {}),
  };
}

function netGateOf(policy: Policy, given: NetOptions = MACHINE): NetGate | undefined {
  const { net, sandbox } = policy;
  const options = { ...given, policy };
  if (net.all || net.list.length === 0) return undefined;
  if (sandbox === "kernel+") return openGate(net.list, options);
  return sandbox === "kernel" ? openPortGate(net.list, options) : undefined;
}

/** Whether a process gets sockets that connect to a path; if this process cannot answer its calls, it gets none. */
function mayConnect({ sandbox, read, besideOthers }: Policy): boolean {
  return sandbox === "kernel+" && !read.all && !besideOthers && whyNoAnsweredConnects() === undefined;
}

const NO_GATE: NetGate = {
  lend: (start) => start(),
  frame: (policy) => policy,
  ready: Promise.resolve(),
  env: {},
  ...{ notes: () => [], denied: () => [], refused: () => [], unreached: () => [], reached: () => [] },
  close: () => {},
};

/** A gate of a process whose connect() calls this process answers. */
function withConnects(gate: NetGate, policy: Policy): NetGate {
  const scope = { allows: connectsTo(policy), sharesNet: policy.net.all };
  const calls = answerCalls((listener) => connectAnswerer(listener, scope));
  return {
    ...gate,
    answersConnects: true,
    lend: (start) => calls.lend(() => gate.lend(start)),
    frame: (policy) => calls.frame(gate.frame(policy)),
    close: () => {
      calls.close();
      gate.close();
    },
  };
}

const MACHINE: NetOptions = { world: MACHINE_NET, limits: PROXY_LIMITS };

/** Opens a gate with a socket for a bridge. Every gate has a folder, a socket and a token of its own. */
function openGate(list: readonly string[], options: NetOptions): NetGate {
  const proxy = openProxy(list, options);
  const { path: folder, remove } = makeFolder();
  const path = `${folder}/${SOCKET_NAME}`;
  const listener = Deno.listen({ transport: "unix", path });
  Deno.chmodSync(path, 0o600);

  const { promise: ready, resolve: isReady } = Promise.withResolvers<void>();
  const accept = async (): Promise<void> => {
    // The first to come is the bridge, which says with it that it holds the socket: no command runs before that.
    closeQuietly(await listener.accept());
    remove();
    isReady();
    await acceptEach(listener, proxy.serve);
  };
  // Closing the listener ends the loop.
  accept().catch(() => {});

  return {
    folder,
    lend: (start) => start(),
    frame: (policy) => policy,
    ready,
    env: proxy.env(BRIDGE_PORT),
    ...proxy.told,
    close: () => {
      closeQuietly(listener);
      proxy.close();
      remove();
    },
  };
}

/** Opens a gate at a port of the machine's loopback, to which this process connects the other's sockets itself. */
function openPortGate(list: readonly string[], options: NetOptions): NetGate {
  const proxy = openProxy(list, options);
  const { port, lend, frame, ready, close } = openPort(proxy.serve);
  return {
    ...{ lend, frame, ready },
    env: proxy.env(port),
    ...proxy.told,
    close: () => {
      close();
      proxy.close();
    },
  };
}

/** The proxy behind a gate. */
function openProxy(list: readonly string[], options: NetOptions) {
  const rules = list.map(parseRule);
  const token = crypto.getRandomValues(new Uint8Array(24)).toHex();
  const open = new Set<Deno.Conn>();
  let clients = 0;
  /** Notes, each with the host that is merely not listed. */
  const denied = new Map<string, string | undefined>();
  const unreached = new Set<string>();
  const reached = new Set<string>();
  const scope = {
    ...options,
    rules,
    authorization: proxyAuthorization(token),
    onDenied: (note: string, host: string | undefined): void => {
      if (denied.size < MOST_DENIED) denied.set(note, host);
    },
    onUnreached: (note: string): void => void (unreached.size < MOST_NOTES && unreached.add(note)),
    onReached: (server: string): void => void (reached.size < MOST_DENIED && reached.add(server)),
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

  return {
    serve,
    env: (port: number): Readonly<Record<string, string>> => proxyVariables(rules, token, port),
    told: {
      notes: () => {
        const lines = [...denied.keys()];
        const more = lines.length - MOST_NOTES;
        return more > 0 ? [...lines.slice(0, MOST_NOTES), `Denied: connect to ${more} more hosts.`] : lines;
      },
      denied: () =>
        [...denied.values()].filter((host) => host !== undefined).map((target) => ({ kind: "net" as const, target })),
      refused: () => [...denied].filter(([, host]) => host === undefined).map(([note]) => note).slice(0, MOST_NOTES),
      unreached: () => [...unreached],
      reached: () => [...reached],
    },
    close: () => {
      for (const conn of open) closeQuietly(conn);
    },
  };
}

function makeFolder(): TemporaryFolder {
  const made = temporaryFolder({ purpose: "net" });
  if (new TextEncoder().encode(`${made.path}/${SOCKET_NAME}`).length <= LONGEST_PATH) return made;
  made.remove();
  return temporaryFolder({ dir: "/tmp", purpose: "net" });
}
