import { parseRule } from "../../../src/sandbox/policy/net_rules.ts";
import { proxyAuthorization } from "../../../src/sandbox/proxy/environment.ts";
import { PROXY_LIMITS, type ProxyLimits, serveConnection } from "../../../src/sandbox/proxy/proxy.ts";
import { closeQuietly } from "../../../src/sandbox/proxy/relay.ts";

/** A server on loopback that stands for the internet, and what it was sent. */
export interface Server extends Disposable {
  readonly port: number;
  readonly received: string[];
}

/** Answers each connection by `answer`, given what came first; keeps everything that comes. */
export function startServer(answer: (conn: Deno.Conn, first: string) => Promise<void>): Server {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const received: string[] = [];
  const conns = new Set<Deno.Conn>();
  const serve = async (conn: Deno.Conn): Promise<void> => {
    conns.add(conn);
    const at = received.push("") - 1;
    const buffer = new Uint8Array(65_536);
    const next = async (): Promise<boolean> => {
      const count = await conn.read(buffer).catch(() => null);
      received[at] += new TextDecoder().decode(buffer.subarray(0, count ?? 0));
      return count !== null;
    };
    await next();
    await answer(conn, received[at] ?? "").catch(() => {});
    while (await next());
    closeQuietly(conn);
  };
  (async () => {
    for await (const conn of listener) serve(conn);
  })().catch(() => {});
  return {
    port: listener.addr.port,
    received,
    [Symbol.dispose]: () => {
      listener.close();
      for (const conn of conns) closeQuietly(conn);
    },
  };
}

/** Sends a text and closes. */
export async function say(conn: Deno.Conn, text: string): Promise<void> {
  await conn.write(new TextEncoder().encode(text));
  closeQuietly(conn);
}

/** A proxy for one call, reached over loopback. */
export interface Proxy extends AsyncDisposable {
  readonly notes: string[];
  readonly unreached: string[];
  readonly connected: string[];
  connect(): Promise<Deno.Conn>;
  /** What comes back for a text, until the proxy closes; `end`: says that nothing more will come. */
  ask(text: string, end?: boolean): Promise<string>;
}

export const TOKEN = "right";
export const AUTHORIZED = `Proxy-Authorization: ${proxyAuthorization(TOKEN)}`;

/** Every name leads to 93.184.216.34, and every such connection to `port`; names of rebinding tests say where they lead, others why they lead nowhere. */
export function startProxy(rules: readonly string[], port: number, limits: Partial<ProxyLimits> = {}): Proxy {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const [notes, unreached, connected]: [string[], string[], string[]] = [[], [], []];
  const running = new Set<Promise<void>>();
  const conns = new Set<Deno.Conn>();
  const scope = {
    rules: rules.map(parseRule),
    authorization: proxyAuthorization(TOKEN),
    limits: { ...PROXY_LIMITS, ...limits },
    onDenied: (note: string): void => void notes.push(note),
    onUnreached: (note: string): void => void unreached.push(note),
    world: {
      resolve: (name: string) => {
        const code = /^(\w+)\.gone\.test$/.exec(name)?.[1]?.toUpperCase();
        if (code !== undefined) return Promise.reject(Object.assign(new Error(code), { code }));
        const told = /^to-([\d-]+)\./.exec(name)?.[1]?.replaceAll("-", ".");
        return Promise.resolve([told ?? "93.184.216.34"]);
      },
      connect: (address: string, at: number) => {
        connected.push(`${address}:${at}`);
        return Deno.connect({ hostname: "127.0.0.1", port });
      },
      ownAddresses: () => [],
    },
  };
  (async () => {
    for await (const conn of listener) {
      conns.add(conn);
      const done = serveConnection(conn, scope, (server) => conns.add(server));
      running.add(done);
      done.finally(() => running.delete(done));
    }
  })().catch(() => {});
  const connect = () => Deno.connect({ hostname: "127.0.0.1", port: listener.addr.port });
  return {
    notes,
    unreached,
    connected,
    connect,
    async ask(text, end = false) {
      const conn = await connect();
      try {
        await conn.write(new TextEncoder().encode(text));
        if (end) await conn.closeWrite();
        return await readAll(conn);
      } finally {
        closeQuietly(conn);
      }
    },
    async [Symbol.asyncDispose]() {
      listener.close();
      for (const conn of conns) closeQuietly(conn);
      await Promise.all(running);
    },
  };
}

export async function readAll(conn: Deno.Conn): Promise<string> {
  const buffer = new Uint8Array(65_536);
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const count = await conn.read(buffer).catch(() => null);
    if (count === null) return text;
    text += decoder.decode(buffer.subarray(0, count), { stream: true });
  }
}
