// Addresses of internet sockets as the kernel takes them (struct sockaddr_in and sockaddr_in6: ip(7), ipv6(7)).

const AF_INET = 2;
const AF_INET6 = 10;
/** Bytes of the longer of the two. */
export const LONGEST_ADDRESS = 28;

/** The three ways to say "this machine": 127.0.0.1, ::ffff:127.0.0.1 (a socket of IPv6 that speaks IPv4), ::1. */
export type LoopbackPlace = "v4" | "mapped" | "v6";

/** What somebody wants to connect or bind to. */
export interface WantedAddress {
  /** `other`: no place of this machine's loopback. */
  readonly place: LoopbackPlace | "other";
  /** The address that stands for all of the machine's (0.0.0.0, ::). */
  readonly isAny: boolean;
  readonly port: number;
}

/** The family of a place's sockets. */
export function familyOf(place: LoopbackPlace): number {
  return place === "v4" ? AF_INET : AF_INET6;
}

/** Reads an address; undefined for another family and for one that is cut. */
export function readAddress(bytes: Uint8Array): WantedAddress | undefined {
  const family = (bytes[0] ?? 0) | ((bytes[1] ?? 0) << 8);
  const port = ((bytes[2] ?? 0) << 8) | (bytes[3] ?? 0);
  if (family === AF_INET && bytes.length >= 16) return ofIpv4(bytes.subarray(4, 8), "v4", port);
  // A kernel takes one without the scope at its end, too (RFC 2133).
  if (family !== AF_INET6 || bytes.length < 24) return undefined;
  const host = bytes.subarray(8, 24);
  if (host.subarray(0, 10).every(isZero) && host[10] === 255 && host[11] === 255) {
    return ofIpv4(host.subarray(12), "mapped", port);
  }
  const isAny = host.every(isZero);
  const isLoopback = host.subarray(0, 15).every(isZero) && host[15] === 1;
  return { place: isAny || isLoopback ? "v6" : "other", isAny, port };
}

/** An address on loopback. */
export function loopbackAddress(place: LoopbackPlace, port: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(place === "v4" ? 16 : LONGEST_ADDRESS);
  bytes.set([familyOf(place), 0, port >> 8, port & 255]);
  if (place === "v4") bytes.set([127, 0, 0, 1], 4);
  else if (place === "mapped") bytes.set([255, 255, 127, 0, 0, 1], 18);
  else bytes[23] = 1;
  return bytes;
}

function ofIpv4(host: Uint8Array, place: "v4" | "mapped", port: number): WantedAddress {
  const isAny = host.every(isZero);
  const isLoopback = host[0] === 127 && host[1] === 0 && host[2] === 0 && host[3] === 1;
  return { place: isAny || isLoopback ? place : "other", isAny, port };
}

function isZero(byte: number): boolean {
  return byte === 0;
}
