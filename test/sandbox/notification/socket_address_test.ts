import { assertEquals } from "@std/assert";
import { loopbackAddress, readAddress } from "../../../src/sandbox/notification/socket_address.ts";

const v4 = (...host: readonly number[]) => new Uint8Array([2, 0, 0x1f, 0x90, ...host, ...new Array(8).fill(0)]);
const v6 = (...host: readonly number[]) => new Uint8Array([10, 0, 0x1f, 0x90, 0, 0, 0, 0, ...host, 0, 0, 0, 0]);
const zeros = (count: number): number[] => new Array(count).fill(0);

for (const place of ["v4", "mapped", "v6"] as const) {
  Deno.test(`readAddress() reads what loopbackAddress() writes for ${place}`, () => {
    for (const port of [0, 1, 255, 256, 65_535]) {
      assertEquals(readAddress(loopbackAddress(place, port)), { place, isAny: false, port });
    }
  });
}

for (
  const [claim, bytes, place, isAny] of [
    ["0.0.0.0", v4(0, 0, 0, 0), "v4", true],
    ["127.0.0.2", v4(127, 0, 0, 2), "other", false],
    ["127.1.0.1", v4(127, 1, 0, 1), "other", false],
    ["192.0.2.1", v4(192, 0, 2, 1), "other", false],
    ["0.0.0.1", v4(0, 0, 0, 1), "other", false],
    ["::", v6(...zeros(16)), "v6", true],
    ["::2", v6(...zeros(15), 2), "other", false],
    ["::ffff:0.0.0.0", v6(...zeros(10), 255, 255, 0, 0, 0, 0), "mapped", true],
    ["::ffff:127.0.0.2", v6(...zeros(10), 255, 255, 127, 0, 0, 2), "other", false],
    ["::127.0.0.1", v6(...zeros(12), 127, 0, 0, 1), "other", false],
    ["64:ff9b::127.0.0.1", v6(0, 0x64, 0xff, 0x9b, ...zeros(8), 127, 0, 0, 1), "other", false],
    ["fe80::1", v6(0xfe, 0x80, ...zeros(13), 1), "other", false],
  ] as const
) {
  Deno.test(`readAddress() takes ${claim} for ${place}`, () => {
    assertEquals(readAddress(bytes), { place, isAny, port: 8080 });
  });
}

Deno.test("readAddress() reads no other family and nothing that is cut", () => {
  const [first, second] = [loopbackAddress("v4", 1), loopbackAddress("v6", 1)];
  const others = [0, 1].map((at) => first.with(at, 1));
  for (const bytes of [first.slice(0, 15), second.slice(0, 23), new Uint8Array(), ...others]) {
    assertEquals(readAddress(bytes), undefined);
  }
});
