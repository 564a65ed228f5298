// Which addresses a name must not lead to: whoever owns a name decides where it points, and it may point at the machine
// itself, at the network around it or at the service that hands out a cloud machine's credentials.

/** What lies at an address. Everything but `public` needs a grant of that very address. */
export type AddressKind =
  | "public"
  | "loopback"
  | "private"
  | "link-local"
  | "metadata"
  | "multicast"
  | "unspecified"
  | "reserved";

/** The IANA special-purpose registries (RFC 6890 and successors) and the metadata services of clouds; the first hit counts. */
const IPV4: readonly (readonly [block: string, kind: AddressKind])[] = [
  ["169.254.169.254/32", "metadata"],
  ["100.100.100.200/32", "metadata"],
  ["168.63.129.16/32", "metadata"],
  ["192.0.0.192/32", "metadata"],
  ["0.0.0.0/8", "unspecified"],
  ["10.0.0.0/8", "private"],
  ["100.64.0.0/10", "private"],
  ["127.0.0.0/8", "loopback"],
  ["169.254.0.0/16", "link-local"],
  ["172.16.0.0/12", "private"],
  ["192.0.0.0/24", "reserved"],
  ["192.0.2.0/24", "reserved"],
  ["192.88.99.0/24", "reserved"],
  ["192.168.0.0/16", "private"],
  ["198.18.0.0/15", "private"],
  ["198.51.100.0/24", "reserved"],
  ["203.0.113.0/24", "reserved"],
  ["224.0.0.0/4", "multicast"],
  ["240.0.0.0/4", "reserved"],
];

const IPV6: readonly (readonly [block: string, kind: AddressKind])[] = [
  ["fd00:ec2::254/128", "metadata"],
  ["::/128", "unspecified"],
  ["::1/128", "loopback"],
  ["fc00::/7", "private"],
  ["fe80::/10", "link-local"],
  ["fec0::/10", "private"],
  ["ff00::/8", "multicast"],
  // Protocol assignments, Teredo among them, which carries an IPv4 address in disguise.
  ["2001::/23", "reserved"],
  ["2001:db8::/32", "reserved"],
  ["3fff::/20", "reserved"],
];

/** Blocks whose addresses stand for an IPv4 address, and how far to the right it lies: mapped, NAT64, 6to4. */
const EMBEDDED: readonly (readonly [block: string, shift: bigint])[] = [
  ["::ffff:0:0/96", 0n],
  ["64:ff9b::/96", 0n],
  ["2002::/16", 80n],
];

/** Nothing outside of it has been given out (RFC 4291). */
const GLOBAL_UNICAST = "2000::/3";

/** What lies at an address as text; `reserved` for what is none. */
export function addressKind(address: string): AddressKind {
  const bits = addressBits(address);
  if (bits === undefined) return "reserved";
  if (isIpv4(address)) return kindIn(IPV4, bits, 32n) ?? "public";
  for (const [block, shift] of EMBEDDED) {
    if (inBlock(bits, block, 128n)) return kindIn(IPV4, (bits >> shift) & 0xffffffffn, 32n) ?? "public";
  }
  return kindIn(IPV6, bits, 128n) ?? (inBlock(bits, GLOBAL_UNICAST, 128n) ? "public" : "reserved");
}

/** The one way to write an address: IPv6 shortened and without brackets, IPv4-mapped ones as IPv4; undefined for others. */
export function canonicalAddress(text: string): string | undefined {
  if (isIpv4(text)) return addressBits(text) === undefined ? undefined : text;
  if (!/^[0-9a-f:.]{2,45}$/i.test(text) || !text.includes(":")) return undefined;
  const url = URL.parse(`http://[${text}]/`);
  if (!url) return undefined;
  const address = url.hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address);
  if (!mapped) return address;
  const [high, low] = [parseInt(mapped[1] ?? "", 16), parseInt(mapped[2] ?? "", 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** Whether a host in canonical form is an address and no name. */
export function isAddress(host: string): boolean {
  return isIpv4(host) || host.includes(":");
}

function isIpv4(text: string): boolean {
  return /^\d{1,3}(?:\.\d{1,3}){3}$/.test(text);
}

function kindIn(
  table: readonly (readonly [block: string, kind: AddressKind])[],
  bits: bigint,
  width: bigint,
): AddressKind | undefined {
  return table.find(([block]) => inBlock(bits, block, width))?.[1];
}

function inBlock(bits: bigint, block: string, width: bigint): boolean {
  const [base = "", length = ""] = block.split("/");
  const shift = width - BigInt(length);
  return (addressBits(base) ?? 0n) >> shift === bits >> shift;
}

function addressBits(address: string): bigint | undefined {
  if (isIpv4(address)) {
    const parts = address.split(".");
    // A leading zero means octal to some and nothing to others.
    if (parts.some((part) => Number(part) > 255 || (part.length > 1 && part.startsWith("0")))) return undefined;
    return join(parts.map(Number), 8n);
  }
  const text = URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1);
  if (text === undefined) return undefined;
  const [left = "", right] = text.split("::");
  const groups = (side: string): number[] => side === "" ? [] : side.split(":").map((group) => parseInt(group, 16));
  const [before, after] = [groups(left), groups(right ?? "")];
  const gap = right === undefined ? [] : new Array<number>(8 - before.length - after.length).fill(0);
  return join([...before, ...gap, ...after], 16n);
}

function join(parts: readonly number[], width: bigint): bigint {
  return parts.reduce((bits, part) => (bits << width) | BigInt(part), 0n);
}
