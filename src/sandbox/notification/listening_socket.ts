import { close, read, systemCall } from "../system/ffi.ts";
import { familyOf, loopbackAddress, type LoopbackPlace } from "./socket_address.ts";

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
