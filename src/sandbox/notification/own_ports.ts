import { listenerAt } from "./listening_socket.ts";
import type { LoopbackPlace, WantedAddress } from "./socket_address.ts";

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
