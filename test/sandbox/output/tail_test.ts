import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { tailOf } from "../../../src/sandbox/output/tail.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const CASES: readonly (readonly [text: string, maxBytes: number, maxLines: number, ...ReturnType<typeof shown>])[] = [
  ["a\nb\nc\n", 100, 100, "a\nb\nc\n"],
  ["a\nb\nc\n", 100, 2, "b\nc\n", "lines"],
  ["a\nb\nc", 100, 2, "b\nc", "lines"],
  ["a\nb\nc\n", 4, 100, "b\nc\n", "bytes"],
  ["a\nb\nc\n", 3, 100, "c\n", "bytes"],
  ["abcdef", 3, 100, "def", "bytes"],
  ["a\u00e4\u00e4", 3, 100, "\u00e4", "bytes"],
  ["", 10, 10, ""],
  ["\n\n\n", 10, 2, "\n\n", "lines"],
  ["\ufeffa\n", 100, 10, "\ufeffa\n"],
];

function shown(text: string, maxBytes: number, maxLines: number): readonly [text: string, cutBy?: string] {
  const found = tailOf(bytes(text), maxBytes, maxLines);
  return found.cutBy === undefined ? [found.text] : [found.text, found.cutBy];
}

for (const [text, maxBytes, maxLines, ...expected] of CASES) {
  Deno.test(`tailOf() of ${JSON.stringify(text)} within ${maxBytes} bytes and ${maxLines} lines`, () =>
    assertEquals(shown(text, maxBytes, maxLines), expected));
}

Deno.test("tailOf() is an end of the text, within both limits, and whole when it can be", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "\u00e4", "\u{1f600}", "\n"), maxLength: 40 });
  fc.assert(
    fc.property(text, fc.integer({ min: 4, max: 60 }), fc.integer({ min: 1, max: 9 }), (all, maxBytes, maxLines) => {
      const found = tailOf(bytes(all), maxBytes, maxLines);
      assert(all.endsWith(found.text));
      assert(bytes(found.text).length <= maxBytes);
      assert((found.text.match(/[^\n]*\n|[^\n]+$/g) ?? []).length <= maxLines);
      assertEquals(found.cutBy === undefined, found.text === all);
    }),
  );
});
