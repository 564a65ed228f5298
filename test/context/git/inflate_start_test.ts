import { assertEquals, assertThrows } from "@std/assert";
import * as fc from "fast-check";
import { constants, deflateSync } from "node:zlib";
import { inflateStart } from "../../../src/context/git/inflate_start.ts";

const STRATEGIES = [constants.Z_DEFAULT_STRATEGY, constants.Z_FIXED, constants.Z_HUFFMAN_ONLY];

Deno.test("inflateStart() R24 gives what was deflated, or its start", () => {
  const text = fc.array(fc.constantFrom("tree ", "author ", "0123", "\0", "é", "a", "b".repeat(300)), {
    maxLength: 2000,
  });
  const most = fc.constantFrom(0, 1, 80, 10_000, 1_000_000);
  const level = fc.constantFrom(0, 1, 9);
  fc.assert(
    fc.property(text, most, level, fc.constantFrom(...STRATEGIES), (words, most, level, strategy) => {
      const bytes = new TextEncoder().encode(words.join(""));
      const found = inflateStart(new Uint8Array(deflateSync(bytes, { level, strategy })), most);
      assertEquals(found.toHex(), bytes.slice(0, most).toHex());
    }),
    { numRuns: 100 },
  );
});

Deno.test("inflateStart() R24 repeats every length, and from far away", () => {
  const noise = Array.from({ length: 40_000 }, (_, i) => String.fromCharCode(33 + (i * i + (i >> 3)) % 90)).join("");
  const repeats = Array.from({ length: 258 }, (_, i) => `${noise.slice(i * 99, i * 99 + i + 3)}\n${i}`).join("");
  const text = noise.slice(0, 30_000) + repeats;
  for (const strategy of STRATEGIES) {
    const found = inflateStart(new Uint8Array(deflateSync(text, { level: 9, strategy })), 1_000_000);
    assertEquals(new TextDecoder().decode(found) === text, true);
  }
});

Deno.test("inflateStart() R24 refuses a stream that is cut, and one that is none", () => {
  const whole = new Uint8Array(deflateSync(crypto.getRandomValues(new Uint8Array(500))));
  assertThrows(() => inflateStart(whole.subarray(0, 400), 500), RangeError, "The stream is cut");
  assertThrows(() => inflateStart(new Uint8Array(), 1), Error, "Not zlib");
  assertThrows(() => inflateStart(Uint8Array.of(0x78, 0x9c, 7), 1), Error, "No such kind of block");
});

Deno.test("inflateStart() R24 ends soon with any bytes, and never gives more than was asked for", () => {
  const bytes = fc.uint8Array({ maxLength: 1024 }).map((rest) => Uint8Array.of(0x78, 0x9c, ...rest));
  fc.assert(
    fc.property(bytes, (input) => {
      const start = performance.now();
      let length = 0;
      try {
        length = inflateStart(input, 80).length;
      } catch (error) {
        if (!(error instanceof Error)) throw error;
      }
      assertEquals([length <= 80, performance.now() - start < 10_000], [true, true]);
    }),
    { numRuns: 2000 },
  );
});
