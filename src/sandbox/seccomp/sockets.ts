import { type ArgumentCheck, type SeccompRequest, verdict } from "./argument_check.ts";
import { type BpfLine, ifAnyBit, ifEqual, keepBits, leaveToHost, loadArgument } from "./bpf.ts";

// Landlock sees connect() and bind() of plain TCP and nothing else: datagrams, raw sockets, MPTCP, fast open, listening
// without a bind and sockets with a path are this filter's business. Numbers: linux/socket.h, linux/net.h.

const EACCES = 13;
const EBUSY = 16;

const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const NETLINK_ROUTE = 0;

const TYPE_BITS = 0xf;
const SOCK_STREAM = 1;
const SOCK_SEQPACKET = 5;
const SOCK_RAW = 3;
const SOCK_PACKET = 10;

const PROTOCOL_OF_TYPE = 0;
const IPPROTO_TCP = 6;

/** SECCOMP_FILTER_FLAG_NEW_LISTENER */
const NEW_LISTENER = 8;

/** Connects without connect(). */
const MSG_FASTOPEN = 0x20000000;

/** The checks of calls about sockets. */
export function socketChecks(order: SeccompRequest): Readonly<Record<string, ArgumentCheck>> {
  if (order.net === "private" || order.net === "open") {
    return { socket: familyCheck(order), ...(order.unixSockets ? {} : { socketpair: streamPair }) };
  }
  const sending = { sendto: noFastOpen(3), sendmsg: noFastOpen(2), sendmmsg: noFastOpen(3) };
  if (order.net === "left") {
    return {
      ...sending,
      socket: plainTcp,
      socketpair: streamPair,
      connect: () => [leaveToHost()],
      bind: () => [leaveToHost()],
      listen: () => [leaveToHost()],
      // Once the host is gone, a listener of the tree's own would let these calls go on.
      seccomp: (ok, no) => [loadArgument(1), ifAnyBit(NEW_LISTENER, no, ok), ...verdict(ok, no, EBUSY)],
    };
  }
  return {
    ...sending,
    socket: (ok, no) => verdict(ok, no, EACCES),
    socketpair: streamPair,
    listen: (ok, no) => verdict(ok, no, EACCES),
  };
}

/** Streams of TCP, and nothing else: what is not connected by connect() (datagrams) the host would not be asked about. */
const plainTcp: ArgumentCheck = (ok, no) => [
  loadArgument(0),
  ifEqual(AF_INET, "internet"),
  ifEqual(AF_INET6, "internet", no),
  { label: "internet" },
  loadArgument(1),
  keepBits(TYPE_BITS),
  ifEqual(SOCK_STREAM, undefined, no),
  loadArgument(2),
  ifEqual(PROTOCOL_OF_TYPE, ok),
  ifEqual(IPPROTO_TCP, ok, no),
  ...verdict(ok, no, EACCES),
];

/** A datagram pair, as which a raw one is made, can be pointed at somebody else's socket; one with a connection stays a pair. */
const streamPair: ArgumentCheck = (ok, no) => [
  loadArgument(0),
  ifEqual(AF_UNIX, undefined, no),
  loadArgument(1),
  keepBits(TYPE_BITS),
  ifEqual(SOCK_STREAM, ok),
  ifEqual(SOCK_SEQPACKET, ok, no),
  ...verdict(ok, no, EACCES),
];

function noFastOpen(flags: number): ArgumentCheck {
  return (ok, no) => [loadArgument(flags), ifAnyBit(MSG_FASTOPEN, no, ok), ...verdict(ok, no, EACCES)];
}

function familyCheck(order: SeccompRequest): ArgumentCheck {
  return (ok, no) => {
    const unix: BpfLine[] = order.unixSockets ? [ifEqual(AF_UNIX, ok)] : [];
    return [
      loadArgument(0),
      ...unix,
      // Netlink is how libc lists addresses; its sockets are raw by type and harmless without capabilities.
      ifEqual(AF_NETLINK, "netlink family"),
      ifEqual(AF_INET, "socket type"),
      ifEqual(AF_INET6, "socket type", no),
      // Its other families tell of devices, processes and sockets of the machine, or lead to code that few programs test.
      { label: "netlink family" },
      loadArgument(2),
      ifEqual(NETLINK_ROUTE, ok, no),
      { label: "socket type" },
      loadArgument(1),
      keepBits(TYPE_BITS),
      ifEqual(SOCK_RAW, no),
      ifEqual(SOCK_PACKET, no, ok),
      ...verdict(ok, no, EACCES),
    ];
  };
}
