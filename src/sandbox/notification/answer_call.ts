// What becomes of the calls by which a confined process would reach the network of the machine that it shares. Its own
// sockets are never connected or bound: they are replaced by ones of this process that lead to its proxy, or to a server of
// the same process tree on loopback, and to nothing else. So it does not matter what the caller, or another thread of its
// tree, makes of the address or the descriptor meanwhile.
import { close, errno, O_CLOEXEC, O_NONBLOCK, systemCall } from "../system/ffi.ts";
import { readProc, readProcLink } from "../system/procfs.ts";
import { foreignMemory } from "./foreign.ts";
import type { OwnPort, OwnPorts } from "./own_ports.ts";
import {
  familyOf,
  LONGEST_ADDRESS,
  loopbackAddress,
  type LoopbackPlace,
  readAddress,
  type WantedAddress,
} from "./socket_address.ts";
import type { CallListener, UnansweredCall } from "./unanswered_call.ts";

/** The errnos that a call may end with; errno(3). */
const E = {
  NOENT: 2,
  BADF: 9,
  AGAIN: 11,
  ACCES: 13,
  FAULT: 14,
  NOTSOCK: 88,
  AFNOSUPPORT: 97,
  ADDRINUSE: 98,
  ADDRNOTAVAIL: 99,
  NETUNREACH: 101,
  NOBUFS: 105,
  ISCONN: 106,
  TIMEDOUT: 110,
  CONNREFUSED: 111,
  ALREADY: 114,
  INPROGRESS: 115,
} as const;

const SOCK_STREAM = 1;
const SOCK_NONBLOCK = 0o4000;
const SOCK_CLOEXEC = 0o2000000;
const SOL_SOCKET = 1;
const SO_REUSEADDR = 2;
const SO_COOKIE = 57;
const IPPROTO_TCP = 6;
const TCP_NODELAY = 1;
const IPPROTO_IPV6 = 41;
const IPV6_V6ONLY = 26;
const F_SETFL = 4;
/** The kernel cuts it to what the system allows. */
const BACKLOG = 4_096;

/** Ports below are for those whom the machine trusts, whatever else root may do. */
const FIRST_PORT = 1_024;
/** How long a server that does not accept may hold a connection up, milliseconds. */
const CONNECT_MS = 10_000;
/** How many connections may be held up at a time. */
const MOST_HELD_UP = 64;

/** What one process tree's calls are answered by. */
export interface CallScope {
  readonly listener: CallListener;
  readonly own: OwnPorts;
  /** Port of the proxy, on 127.0.0.1. */
  readonly proxyPort: number;
  /**
   * Told of each connection to the proxy before that can see it: the port that it comes from. Gives what takes that back,
   * for one that fails, called while the port is nobody else's.
   */
  readonly onConnect: (from: number) => () => void;
  /** Connections that are held up. */
  heldUp: number;
}

/** Answers one call. Never rejects; a call whose caller is gone needs no answer. */
export async function answerCall(call: UnansweredCall, scope: CallScope): Promise<void> {
  const { listener } = scope;
  let answer: number = E.ACCES;
  try {
    answer = await outcomeOf(call, scope);
  } catch {
    // Refused.
  }
  listener.answer(call, answer);
}

/** The errno that the call ends with, or 0. */
async function outcomeOf(call: UnansweredCall, scope: CallScope): Promise<number> {
  const { name, task, args: [place, pointer, length] } = call;
  if (name === undefined) return E.ACCES;
  const fd = Number(BigInt.asIntN(32, place));
  const socket = foreignSocket(task, fd);
  const size = Math.min(Number(BigInt.asUintN(32, length)), LONGEST_ADDRESS);
  const bytes = name === "listen" ? undefined : foreignMemory(task, pointer, size);
  // Only now is it known that what was read belongs to the process that asks: its number may have been another's.
  if (!scope.listener.isWaiting(call)) return E.ACCES;
  if ("errno" in socket) return socket.errno;
  // Sockets listen from the moment that they are bound.
  if (name === "listen") return scope.own.has(socket.link) ? 0 : E.ACCES;
  if (bytes === undefined) return E.FAULT;
  const wanted = readAddress(bytes);
  if (wanted === undefined) return E.AFNOSUPPORT;
  const made = name === "bind" ? bindSocket(wanted, scope) : await connectSocket(call, wanted, scope);
  if (typeof made === "number") return made;
  try {
    systemCall("fcntl", made.fd, F_SETFL, socket.isNonBlocking ? SOCK_NONBLOCK : 0);
    return await scope.listener.put(call, made.fd, fd, socket.closesOnExec) ? 0 : E.ACCES;
  } finally {
    close(made.fd);
  }
}

interface MadeSocket {
  readonly fd: number;
}

/** A socket that is connected to where the call may go, or the errno. */
async function connectSocket(
  call: UnansweredCall,
  wanted: WantedAddress,
  scope: CallScope,
): Promise<MadeSocket | number> {
  if (wanted.place === "other") return E.NETUNREACH;
  const isProxy = wanted.port === scope.proxyPort && wanted.place !== "v6";
  const server = isProxy ? undefined : scope.own.at(wanted);
  if (!isProxy && server === undefined) return E.CONNREFUSED;
  const place = placeOfClient(wanted.place, server);
  const fd = systemCall("socket", familyOf(place), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno();
  setOption(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  const address = loopbackAddress(place, wanted.port);
  const attempt = (): number => systemCall("connect", fd, address, address.length) < 0 ? errno() : 0;
  let result = attempt();
  const takeBack = isProxy ? scope.onConnect(portOf(fd)) : undefined;
  if (result === E.INPROGRESS) result = await heldUp(attempt, call, scope);
  // The server may have gone meanwhile, and somebody else's have come to its port. That it has gone alone means nothing:
  // it may serve one connection and end, before this is looked at.
  if (result === 0 && server !== undefined && scope.own.isTaken(server)) result = E.CONNREFUSED;
  if (result === 0) return { fd };
  takeBack?.();
  close(fd);
  return result;
}

/** The family of what the caller asked with: it may ask the socket for its addresses. */
function placeOfClient(wanted: LoopbackPlace, server: OwnPort | undefined): LoopbackPlace {
  return wanted === "v6" && server?.place !== "v6" ? "mapped" : wanted;
}

/** Waits until a connection is made. On loopback that is at once, unless a server does not accept. */
async function heldUp(attempt: () => number, call: UnansweredCall, scope: CallScope): Promise<number> {
  let result = attempt();
  if (result !== E.ALREADY) return result === E.ISCONN ? 0 : result;
  if (scope.heldUp >= MOST_HELD_UP) return E.AGAIN;
  scope.heldUp++;
  try {
    const end = performance.now() + CONNECT_MS;
    for (let ms = 1; result === E.ALREADY; ms = Math.min(2 * ms, 100)) {
      await new Promise((resolve) => setTimeout(resolve, ms));
      if (performance.now() > end || !scope.listener.isWaiting(call)) return E.TIMEDOUT;
      result = attempt();
    }
    return result === E.ISCONN ? 0 : result;
  } finally {
    scope.heldUp--;
  }
}

/** A socket that listens on loopback, where the call asked for that or for all addresses; or the errno. */
function bindSocket({ place, isAny, port }: WantedAddress, { own }: CallScope): MadeSocket | number {
  if (place === "other") return E.ADDRNOTAVAIL;
  if (port !== 0 && port < FIRST_PORT) return E.ACCES;
  if (!own.hasRoom()) return E.NOBUFS;
  // All of IPv6 includes IPv4: a socket of IPv6 at the address of IPv4 serves clients of both.
  const isBoth = place === "v6" && isAny;
  const made = listenAt(isBoth ? "mapped" : place, port, isBoth);
  // Where the tree serves IPv4 there by another socket, this one is for IPv6 alone, as programs mean it.
  const isOwn = (): boolean => own.at({ place: "v4", isAny: false, port }) !== undefined;
  const settled = made === E.ADDRINUSE && isBoth && isOwn() ? listenAt("v6", port, false) : made;
  if (typeof settled === "number") return settled;
  own.add(settled.listens);
  return settled;
}

function listenAt(place: LoopbackPlace, port: number, isBoth: boolean): MadeSocket & { listens: OwnPort } | number {
  const fd = systemCall("socket", familyOf(place), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno();
  setOption(fd, SOL_SOCKET, SO_REUSEADDR, 1);
  if (place !== "v4") setOption(fd, IPPROTO_IPV6, IPV6_V6ONLY, place === "v6" ? 1 : 0);
  const address = loopbackAddress(place, port);
  if (systemCall("bind", fd, address, address.length) < 0 || systemCall("listen", fd, BACKLOG) < 0) {
    const number = errno();
    close(fd);
    return number;
  }
  return {
    fd,
    listens: { place, port: portOf(fd), isBoth, cookie: cookieOf(fd), link: readProcLink(`/proc/self/fd/${fd}`) ?? "" },
  };
}

function setOption(fd: number, level: number, name: number, value: number): void {
  systemCall("setsockopt", fd, level, name, new Uint8Array(new Int32Array([value]).buffer), 4);
}

/** The port that a socket of this process has. */
function portOf(fd: number): number {
  const bytes = new Uint8Array(LONGEST_ADDRESS);
  systemCall("getsockname", fd, bytes, new Uint8Array(new Uint32Array([bytes.length]).buffer));
  return readAddress(bytes)?.port ?? 0;
}

function cookieOf(fd: number): bigint {
  const cookie = new BigUint64Array(1);
  systemCall("getsockopt", fd, SOL_SOCKET, SO_COOKIE, cookie, new Uint8Array(new Uint32Array([8]).buffer));
  return cookie[0] ?? 0n;
}

/** A socket of another process, as /proc shows it. */
interface ForeignSocket {
  /** Its kind and number: the same for all descriptors of one socket. */
  readonly link: string;
  readonly isNonBlocking: boolean;
  readonly closesOnExec: boolean;
}

/** The flags stand in the second line; a command's locks make the rest as long as it likes. */
const INFO_UNITS = 1_024;

/** Looks at a descriptor of a thread; the errno that a call about it should end with where it is no socket. */
function foreignSocket(task: number, fd: number): ForeignSocket | { readonly errno: number } {
  const path = `/proc/${task}/fd/${fd}`;
  const link = readProcLink(path);
  if (link === undefined) return { errno: errno() === E.NOENT ? E.BADF : E.ACCES };
  if (!link.startsWith("socket:")) return { errno: E.NOTSOCK };
  const flags = /^flags:\s*([0-7]+)$/m.exec(readProc(`/proc/${task}/fdinfo/${fd}`, INFO_UNITS) ?? "")?.[1];
  if (flags === undefined) return { errno: E.ACCES };
  const bits = parseInt(flags, 8);
  return { link, isNonBlocking: (bits & O_NONBLOCK) !== 0, closesOnExec: (bits & O_CLOEXEC) !== 0 };
}
