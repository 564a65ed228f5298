import { assertEquals } from "@std/assert";
import * as fc from "fast-check";
import type { JsonValue } from "../../../src/core/json.ts";
import { createListBytes, type ListBytes } from "../../../src/provider/endpoint/body_bytes.ts";

function textOf(write: ListBytes, items: readonly JsonValue[]): string {
  const pieces = write(items);
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) all.set(piece, at), at += piece.length;
  return new TextDecoder("utf-8", { fatal: true }).decode(all);
}

/** An item that counts how often it is written. */
function counted(text: string): { readonly item: JsonValue; readonly count: () => number } {
  let count = 0;
  const item = { toJSON: () => (count++, { text }) } as unknown as JsonValue; // a value that is looked at when written
  return { item, count: () => count };
}

Deno.test("createListBytes() writes what JSON.stringify writes, whatever list came before", () => {
  const item = fc.jsonValue() as fc.Arbitrary<JsonValue>; // the same set of values
  fc.assert(
    fc.property(fc.array(item, { maxLength: 6 }), fc.array(fc.tuple(fc.nat(6), fc.array(item, { maxLength: 4 }))), (
      first,
      steps,
    ) => {
      const write = createListBytes();
      let list = first;
      assertEquals(textOf(write, list), JSON.stringify(list));
      for (const [kept, more] of steps) {
        list = [...list.slice(0, kept), ...more];
        assertEquals(textOf(write, list), JSON.stringify(list));
      }
    }),
    { numRuns: 300 },
  );
});

Deno.test("createListBytes() writes again what changed and what follows it, and always the first", () => {
  const write = createListBytes();
  const [a, b, c, d] = [counted("a"), counted("b"), counted("c"), counted("d")];
  const counts = (): readonly number[] => [a, b, c, d].map(({ count }) => count());
  write([a.item, b.item, c.item]);
  assertEquals(counts(), [1, 1, 1, 0]);
  write([a.item, b.item, c.item, d.item]);
  assertEquals(counts(), [2, 1, 1, 1]);
  write(["another system prompt", b.item, c.item, d.item]);
  assertEquals(counts(), [2, 1, 1, 1]);
  write([a.item, c.item, d.item]);
  assertEquals(counts(), [3, 1, 2, 2]);
});

Deno.test("createListBytes() grows, and keeps what it has, for an item larger than all its room", () => {
  const write = createListBytes();
  const list: JsonValue[] = ["system", "short ü"];
  for (const size of [10, 70_000, 3, 400_000]) {
    list.push("€".repeat(size));
    assertEquals(textOf(write, list), JSON.stringify(list));
  }
});
