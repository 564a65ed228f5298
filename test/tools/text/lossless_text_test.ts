import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { decodeLossless, encodeLossless, hasStrayBytes, markStrayBytes } from "../../../tools/text/lossless_text.ts";

Deno.test("encodeLossless() gives back exactly the bytes that were decoded", () => {
  const awkward = fc.constantFrom(
    0xc0,
    0xc2,
    0xe0,
    0xed,
    0xf0,
    0xf4,
    0xff,
    0x80,
    0x9f,
    0xa0,
    0xbf,
    0xef,
    0xbb,
    0x0a,
    0x41,
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(awkward, fc.nat(255))), (numbers) => {
      const bytes = new Uint8Array(numbers);
      assertEquals(encodeLossless(decodeLossless(bytes)), bytes);
    }),
    { numRuns: 2000 },
  );
});

const CASES = [
  { name: "ASCII", bytes: [0x61], shown: "a", stray: false },
  { name: "an emoji", bytes: [0xf0, 0x9f, 0x98, 0x80], shown: "\u{1f600}", stray: false },
  {
    name: "an astral character whose second half looks like a stray byte",
    bytes: [0xf0, 0x90, 0x82, 0x80],
    shown: "\u{10080}",
    stray: false,
  },
  { name: "a byte order mark", bytes: [0xef, 0xbb, 0xbf], shown: "\ufeff", stray: false },
  { name: "Latin-1", bytes: [0x63, 0xe9, 0x21], shown: "c\ufffd!", stray: true },
  { name: "a surrogate in UTF-8", bytes: [0xed, 0xa0, 0x80], shown: "\ufffd\ufffd\ufffd", stray: true },
  { name: "an overlong form", bytes: [0xc0, 0xaf], shown: "\ufffd\ufffd", stray: true },
  { name: "a cut character", bytes: [0x61, 0xf0, 0x9f], shown: "a\ufffd\ufffd", stray: true },
];
for (const { name, bytes, shown, stray } of CASES) {
  Deno.test(`decodeLossless() ${name}`, () => {
    const text = decodeLossless(new Uint8Array(bytes));
    assertEquals([markStrayBytes(text), hasStrayBytes(text)], [shown, stray]);
  });
}
