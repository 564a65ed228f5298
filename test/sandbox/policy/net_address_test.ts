import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { addressKind, canonicalAddress, isAddress } from "../../../src/sandbox/policy/net_address.ts";

const KINDS = [
  ["93.184.216.34", "public"],
  ["1.1.1.1", "public"],
  ["0.0.0.0", "unspecified"],
  ["0.1.2.3", "unspecified"],
  ["10.0.0.1", "private"],
  ["100.63.255.255", "public"],
  ["100.64.0.1", "private"],
  ["100.100.100.200", "metadata"],
  ["127.0.0.1", "loopback"],
  ["127.255.255.254", "loopback"],
  ["128.0.0.1", "public"],
  ["168.63.129.16", "metadata"],
  ["169.254.169.254", "metadata"],
  ["169.254.1.1", "link-local"],
  ["172.15.255.255", "public"],
  ["172.16.0.1", "private"],
  ["172.31.255.255", "private"],
  ["172.32.0.1", "public"],
  ["192.0.0.192", "metadata"],
  ["192.0.0.8", "reserved"],
  ["192.168.1.1", "private"],
  ["198.18.0.1", "private"],
  ["203.0.113.7", "reserved"],
  ["224.0.0.1", "multicast"],
  ["255.255.255.255", "reserved"],
  ["::", "unspecified"],
  ["::1", "loopback"],
  ["::7f00:1", "reserved"],
  ["fd00:ec2::254", "metadata"],
  ["fd00::2", "private"],
  ["fc00::1", "private"],
  ["fe80::1", "link-local"],
  ["febf::1", "link-local"],
  ["fec0::1", "private"],
  ["ff02::1", "multicast"],
  ["2606:4700::1111", "public"],
  ["2001:db8::1", "reserved"],
  ["2001:0:4136:e378:8000:63bf:3fff:fdd2", "reserved"],
  ["3fff::1", "reserved"],
  ["100::1", "reserved"],
  ["::ffff:127.0.0.1", "loopback"],
  ["::ffff:7f00:1", "loopback"],
  ["0:0:0:0:0:ffff:169.254.169.254", "metadata"],
  ["64:ff9b::a00:1", "private"],
  ["64:ff9b::5db8:d822", "public"],
  ["64:ff9b:1::1", "reserved"],
  ["2002:7f00:1::", "loopback"],
  ["2002:a9fe:a9fe::1", "metadata"],
  ["no address", "reserved"],
  ["fe80::1%eth0", "reserved"],
  ["0127.0.0.1", "reserved"],
  ["300.1.1.1", "reserved"],
] as const;

for (const [address, kind] of KINDS) {
  Deno.test(`addressKind() takes ${address} for ${kind} R492`, () => assertEquals(addressKind(address), kind));
}

const ipv4 = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255));
const ipv6 = fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 });

Deno.test("addressKind() judges an IPv4 address in IPv6 clothes as itself", () => {
  fc.assert(fc.property(ipv4, ([a, b, c, d]) => {
    const kind = addressKind(`${a}.${b}.${c}.${d}`);
    const [high, low] = [(a * 256 + b).toString(16), (c * 256 + d).toString(16)];
    for (const dress of [`::ffff:${high}:${low}`, `64:ff9b::${high}:${low}`, `2002:${high}:${low}::1`]) {
      assertEquals(addressKind(dress), kind);
    }
  }));
});

Deno.test("addressKind() finds nothing public outside of what has been given out", () => {
  fc.assert(fc.property(ipv6, (groups) => {
    const text = groups.map((group) => group.toString(16)).join(":");
    if (addressKind(text) !== "public") return;
    const first = groups[0] ?? 0;
    assert((first >= 0x2000 && first <= 0x3fff) || first === 0x64 || first === 0, text);
  }));
});

Deno.test("canonicalAddress() gives every spelling of an address the same text", () => {
  fc.assert(fc.property(ipv6, (groups) => {
    const plain = groups.map((group) => group.toString(16)).join(":");
    const wide = groups.map((group) => group.toString(16).padStart(4, "0").toUpperCase()).join(":");
    const one = canonicalAddress(plain);
    assert(one !== undefined && isAddress(one));
    assertEquals([canonicalAddress(wide), canonicalAddress(one), addressKind(one)], [one, one, addressKind(wide)]);
  }));
});

Deno.test("canonicalAddress() knows no other texts", () => {
  for (
    const text of ["", "::1%lo", "[::1]", "1.2.3", "1.2.3.4.5", "01.2.3.4", "256.1.1.1", "::1/64", "a:b", "example.com"]
  ) {
    assertEquals(canonicalAddress(text), undefined, text);
  }
  assertEquals(canonicalAddress("::FFFF:127.0.0.1"), "127.0.0.1");
});
