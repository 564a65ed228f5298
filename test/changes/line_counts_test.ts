import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { countLines } from "../../src/changes/line_counts.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const CASES:
  readonly (readonly [name: string, before: string, after: string, counts: ReturnType<typeof countLines>])[] = [
    ["the same", "a\nb\n", "a\nb\n", { added: 0, removed: 0 }],
    ["a line in the middle", "a\nb\nc\n", "a\nx\nc\n", { added: 1, removed: 1 }],
    ["the last newline", "a\nb", "a\nb\n", { added: 1, removed: 1 }],
    ["a new file", "", "a\nb\n", { added: 2, removed: 0 }],
    ["nothing but NUL", "a\n", "a\n\0", "binary"],
    ["text that became binary", "\0", "a\n", "binary"],
  ];
for (const [name, before, after, counts] of CASES) {
  Deno.test(`countLines(): ${name}`, () => assertEquals(countLines(bytes(before), bytes(after)), counts));
}

Deno.test("countLines() counts the shortest way: what is common to both, in order, stays", () => {
  const texts = fc.array(fc.constantFrom("a\n", "b\n", "c\n"), { maxLength: 12 });
  fc.assert(fc.property(texts, texts, (before, after) => {
    const common = longestCommon(before, after);
    const counts = { added: after.length - common, removed: before.length - common };
    assertEquals(countLines(bytes(before.join("")), bytes(after.join(""))), counts);
  }));
});

/** By the textbook's table. */
function longestCommon(a: readonly string[], b: readonly string[]): number {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      table[i]![j] = a[i - 1] === b[j - 1] ? table[i - 1]![j - 1]! + 1 : Math.max(table[i - 1]![j]!, table[i]![j - 1]!);
    }
  }
  return table[a.length]![b.length]!;
}
