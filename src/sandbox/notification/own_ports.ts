import { close, read, systemCall } from "../system/ffi.ts";
import { familyOf, loopbackAddress, type LoopbackPlace, type WantedAddress } from "./socket_address.ts";

/** A socket of a process tree that listens on loopback. */
export interface OwnPort {
  readonly place: LoopbackPlace;
  readonly port: number;
  /** It was asked to listen on all addresses of IPv6, which stand for those of IPv4, too. */
  readonly isBoth: boolean;
  /** SO_COOKIE. */
  readonly cookie: bigint;
  /** What a link of /proc/PID/fd says of it. */
  readonly link: string;
}

/** Most listening sockets that are kept of one process tree: a command has fewer servers. */
const MOST = 256;

/** The ports on which one process tree listens. What it closed stays until somebody asks for it. */
export interface OwnPorts {
  /** Whether there is room for one more. */
  readonly hasRoom: () => boolean;
  readonly add: (port: OwnPort) => void;
  readonly has: (link: string) => boolean;
  /** The server that stands at an address now, if it is the tree's own. */
  readonly at: (wanted: WantedAddress) => OwnPort | undefined;
  /** Whether somebody else's server stands where one of the tree's stood. */
  readonly isTaken: (port: OwnPort) => boolean;
}

/** An empty table. */
export function ownPorts(): OwnPorts {
  let ports: readonly OwnPort[] = [];
  const isThere = (port: OwnPort): boolean => listenerAt(port.place, port.port) === port.cookie;
  return {
    hasRoom: () => {
      if (ports.length >= MOST) ports = ports.filter(isThere);
      return ports.length < MOST;
    },
    add: (port) => void (ports = [...ports, port]),
    has: (link) => ports.some((port) => port.link === link),
    at: (wanted) => {
      const fits = (port: OwnPort): boolean =>
        wanted.place === "v6" ? port.place === "v6" || port.isBoth : port.place !== "v6";
      const named = ports.filter((port) => port.port === wanted.port);
      const found = named.filter(fits).find(isThere);
      if (found === undefined) ports = ports.filter((port) => port.port !== wanted.port || isThere(port));
      return found;
    },
    isTaken: (port) => ![undefined, port.cookie].includes(listenerAt(port.place, port.port)),
  };
}

const AF_NETLINK = 16;
const SOCK_RAW = 3;
/** SOCK_NONBLOCK and SOCK_CLOEXEC. */
const QUIET = 0o2004000;
const NETLINK_SOCK_DIAG = 4;
const SOCK_DIAG_BY_FAMILY = 20;
const NLM_F_REQUEST = 1;
const TCP = 6;
const TCP_LISTEN = 10;
const HEAD = 16;
const REQUEST = HEAD + 56;

/**
 * The kernel's own number (SO_COOKIE, never given twice) of the socket that a connection to a port on loopback would reach
 * now; undefined where nobody listens there, or where the kernel does not tell (sock_diag(7)).
 */
export function listenerAt(place: LoopbackPlace, port: number): bigint | undefined {
  const fd = systemCall("socket", AF_NETLINK, SOCK_RAW | QUIET, NETLINK_SOCK_DIAG);
  if (fd < 0) return undefined;
  try {
    const request = requestFor(place, port);
    if (systemCall("write", fd, request, request.length) !== request.length) return undefined;
    const answer = new Uint8Array(1024);
    const count = read(fd, answer);
    const view = new DataView(answer.buffer);
    // struct inet_diag_msg behind the head: family, state, …, at 4 the socket's ports, addresses, interface and cookie.
    if (count < REQUEST || view.getUint16(4, true) !== SOCK_DIAG_BY_FAMILY) return undefined;
    return answer[HEAD + 1] === TCP_LISTEN ? view.getBigUint64(HEAD + 4 + 40, true) : undefined;
  } finally {
    close(fd);
  }
}

/** struct inet_diag_req_v2 behind a head: the socket from which nobody has connected, which is the one that listens. */
function requestFor(place: LoopbackPlace, port: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(REQUEST);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, REQUEST, true);
  view.setUint16(4, SOCK_DIAG_BY_FAMILY, true);
  view.setUint16(6, NLM_F_REQUEST, true);
  // What listens at a mapped address is found at the address of IPv4, as a connection finds it.
  const at = place === "v6" ? "v6" : "v4";
  bytes.set([familyOf(at), TCP], HEAD);
  view.setUint32(HEAD + 4, 1 << TCP_LISTEN, true);
  view.setUint16(HEAD + 8, port);
  const address = loopbackAddress(at, port);
  bytes.set(at === "v6" ? address.subarray(8, 24) : address.subarray(4, 8), HEAD + 12);
  // INET_DIAG_NOCOOKIE
  bytes.fill(0xff, HEAD + 48);
  return bytes;
}
