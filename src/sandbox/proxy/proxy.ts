import { allowsHost, type HostRule, hostText } from "../policy/net_rules.ts";
import { messageOf } from "../../core/error.ts";
import type { Restricted } from "../../core/policy.ts";
import { within } from "../../core/support/sleep.ts";
import { forward } from "./forward.ts";
import { BadRequest, latin1Bytes, ownResponse, parseProxyRequest, type ProxyRequest, readHead } from "./http_head.ts";
import type { Network } from "./network.ts";
import { closeQuietly, linger, relay, writeAll } from "./relay.ts";
import { chooseTarget } from "./target.ts";

/** Bounds of a proxy; times in milliseconds. */
export interface ProxyLimits {
  readonly headBytes: number;
  /** From the first byte to the end of the head. */
  readonly headMs: number;
  readonly connectMs: number;
  /** Without a byte in either direction. */
  readonly idleMs: number;
  readonly connections: number;
}

/** What a session gets. */
export const PROXY_LIMITS: ProxyLimits = {
  headBytes: 32_768,
  headMs: 10_000,
  connectMs: 15_000,
  idleMs: 300_000,
  connections: 128,
};

/** What one call's proxy decides by. */
export interface ProxyScope {
  readonly rules: readonly HostRule[];
  /** Where a request may go; `chooseTarget` unless told otherwise. */
  readonly choose?: typeof chooseTarget;
  /** What `Proxy-Authorization` must be. */
  readonly authorization: string;
  readonly world: Network;
  readonly limits: ProxyLimits;
  /** Whose requests they are: decides what a note advises. The session's if undefined. */
  readonly policy?: Restricted;
  /** Called for every denied request with one line for the model, and the host where that is merely not listed. */
  readonly onDenied: (note: string, unlisted: string | undefined) => void;
  /** Called for every request for an allowed host that cannot be reached, with one line for the model. */
  readonly onUnreached: (note: string) => void;
  /** Called with `host:port` for every request that was let through. */
  readonly onReached?: (server: string) => void;
}

/**
 * Serves one connection: one request, checked, sent on to the very address that was checked, answered, closed.
 *
 * A second request on the same connection is never read, so that none passes unchecked. Never rejects; both connections
 * are closed when it resolves, and closing `client` from outside ends it. `track` gets what is opened besides.
 */
export async function serveConnection(
  client: Deno.Conn,
  scope: ProxyScope,
  track: (conn: Deno.Conn) => void,
): Promise<void> {
  let server: Deno.Conn | undefined;
  let last = performance.now();
  const active = (): void => void (last = performance.now());
  const watch = setInterval(() => {
    if (performance.now() - last <= scope.limits.idleMs) return;
    closeQuietly(client);
    if (server) closeQuietly(server);
  }, Math.min(1_000, scope.limits.idleMs));
  try {
    const asked = await within(scope.limits.headMs, readHead(client, scope.limits.headBytes));
    if (asked === undefined || asked === "ended") return;
    if (asked === "too long") return await refuse(client, 431, "the request's head is too long");
    const request = parseProxyRequest(asked.head);
    if (!sameText(request.authorization ?? "", scope.authorization)) {
      return await refuse(
        client,
        407,
        "the proxy's address in http_proxy holds a token, which is missing or wrong here",
      );
    }
    const opened = await openServer(request, scope);
    if ("status" in opened) return await refuse(client, opened.status, opened.why);
    server = opened.conn;
    track(server);
    active();
    if (request.forward === undefined) {
      await writeAll(client, latin1Bytes("HTTP/1.1 200 Connection established\r\n\r\n"));
      await writeAll(server, asked.rest);
      return await relay(client, server, active);
    }
    const fault = await forward(client, server, request.forward, asked.rest, active);
    if (fault) await refuse(client, fault.status, fault.why);
  } catch (error) {
    if (error instanceof BadRequest) await refuse(client, 400, error.message).catch(() => {});
    // Anything else: one of the two ends is gone, and with it whoever wanted to know.
  } finally {
    clearInterval(watch);
    closeQuietly(client);
    if (server) closeQuietly(server);
  }
}

async function openServer(
  { host, port }: ProxyRequest,
  scope: ProxyScope,
): Promise<{ readonly conn: Deno.Conn } | { readonly status: number; readonly why: string }> {
  const { choose = chooseTarget } = scope;
  const target = await within(scope.limits.connectMs, choose(scope.rules, host, port, scope.world, scope.policy));
  const unreached = (status: number, why: string): { readonly status: number; readonly why: string } => {
    const reason = `${hostText(host, port)} is allowed, but cannot be reached from this machine: ${why}`;
    scope.onUnreached(`Network: ${reason}.`);
    return { status, why: reason };
  };
  if (target === undefined) return unreached(504, "resolving its name timed out");
  if (target.kind === "unknown") return unreached(502, `resolving its name failed, ${target.why}`);
  if (target.kind === "denied") {
    scope.onDenied(target.note, allowsHost(scope.rules, host, port) ? undefined : hostText(host, port));
    return { status: 403, why: `${host}:${port}: ${target.why}` };
  }
  let late = false;
  const reasons = new Set<string>();
  for (const address of target.addresses) {
    const attempt = scope.world.connect(address, port);
    const conn = await within(scope.limits.connectMs, attempt.catch(whyNoConnection));
    if (conn === undefined) {
      late = true;
      attempt.then(closeQuietly, () => {});
    } else if (typeof conn === "string") reasons.add(conn);
    else {
      scope.onReached?.(hostText(host, port));
      return { conn };
    }
  }
  if (late) reasons.add("connecting timed out");
  return unreached(late ? 504 : 502, [...reasons].join(", "));
}

function whyNoConnection(error: unknown): string {
  if (error instanceof Deno.errors.ConnectionRefused) return "the connection was refused";
  if (error instanceof Deno.errors.NetworkUnreachable) return "there is no network to its address";
  if (error instanceof Deno.errors.TimedOut) return "connecting timed out";
  return /os error 113\b/.test(messageOf(error)) ? "there is no way to its address" : "connecting failed";
}

/** Answers a request in the proxy's own name. */
async function refuse(client: Deno.Conn, status: number, sentence: string): Promise<void> {
  await writeAll(client, latin1Bytes(ownResponse(status, sentence)));
  await client.closeWrite();
  await linger(client);
}

/** Compares without telling by its time how much was right. */
function sameText(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let at = 0; at < b.length; at++) difference |= a.charCodeAt(at) ^ b.charCodeAt(at);
  return difference === 0;
}
