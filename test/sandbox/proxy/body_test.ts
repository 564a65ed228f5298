import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { bodyReader } from "../../../src/sandbox/proxy/body.ts";
import { BadRequest } from "../../../src/sandbox/proxy/http_head.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** What a reader takes of a text that comes in pieces, and whether it is at the end. */
function taken(reader: ReturnType<typeof bodyReader>, text: string, sizes: readonly number[]): [number, boolean] {
  const all = bytes(text);
  let total = 0;
  for (let at = 0, piece = 0; at < all.length && !reader.done(); piece++) {
    const size = sizes[piece % sizes.length] ?? 1;
    total += reader.take(all.subarray(at, at + size));
    at += size;
  }
  return [total, reader.done()];
}

const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });
const NEXT = "GET http://evil.test/ HTTP/1.1\r\n\r\n";

Deno.test("bodyReader() ends a chunked body exactly where it ends, in pieces of any size", () => {
  const chunk = fc.string({ minLength: 1, maxLength: 40, unit: "binary-ascii" });
  fc.assert(fc.property(fc.array(chunk, { maxLength: 6 }), fc.boolean(), sizes, (chunks, trailer, pieces) => {
    const sent = chunks.map((data) => `${data.length.toString(16)};x=y\r\n${data}\r\n`).join("") +
      `0\r\n${trailer ? "X: y\r\n" : ""}\r\n`;
    assertEquals(taken(bodyReader({ kind: "chunked" }), sent + NEXT, pieces), [sent.length, true]);
  }));
});

Deno.test("bodyReader() ends a body of known length at that length, and none at once", () => {
  fc.assert(fc.property(fc.nat(60), sizes, (length, pieces) => {
    const reader = bodyReader({ kind: "length", bytes: length });
    assertEquals(taken(reader, "x".repeat(length) + NEXT, pieces), [length, true]);
  }));
  const none = bodyReader({ kind: "none" });
  assertEquals([none.done(), none.take(bytes(NEXT))], [true, 0]);
});

const MALFORMED = [
  "\r\n",
  "x\r\n",
  "-1\r\n",
  "0x5\r\n",
  " 5\r\n",
  "5\nhello\r\n",
  "5\r\nhelloX\r\n",
  "5\r\nhello\n",
  "fffffffffffff\r\n",
  "1;" + "x".repeat(400),
  "0\r\nX: y\n\r\n",
  "0\r\n" + "X: y\r\n".repeat(3_000),
];

for (const text of MALFORMED) {
  Deno.test(`bodyReader() refuses ${JSON.stringify(text.slice(0, 24))}`, () => {
    assertThrows(() => taken(bodyReader({ kind: "chunked" }), text, [3]), BadRequest);
  });
}
