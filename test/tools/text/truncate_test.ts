import { assertEquals } from "@std/assert";
import { fitHead, takeBytes, utf8Length } from "../../../tools/text/truncate.ts";

const CASES = [
  { name: "all that fits", lines: ["a", "b"], head: { lines: 2, bytes: 3 } },
  { name: "exactly the lines", lines: ["a", "b", "c"], head: { lines: 3, bytes: 5 } },
  { name: "one line too many", lines: ["a", "b", "c", "d"], head: { lines: 3, bytes: 5, truncatedBy: "lines" } },
  { name: "exactly the bytes", lines: ["aaaa", "bbbbb"], head: { lines: 2, bytes: 10 } },
  { name: "one byte too many", lines: ["aaaa", "bbbbbb"], head: { lines: 1, bytes: 4, truncatedBy: "bytes" } },
  {
    name: "bytes, not units",
    lines: ["\u{1f600}\u{1f600}", "\u00e9"],
    head: { lines: 1, bytes: 8, truncatedBy: "bytes" },
  },
  { name: "a first line too long", lines: ["a".repeat(11)], head: { lines: 0, bytes: 0, truncatedBy: "bytes" } },
] as const;
for (const { name, lines, head } of CASES) {
  Deno.test(`fitHead() ${name}`, () => assertEquals(fitHead(lines, 3, 10), head));
}

Deno.test("takeBytes() never ends inside a character", () => {
  const cut = [0, 1, 2, 3, 4, 5, 6, 7].map((bytes) => takeBytes("a\u00e9\u{1f600}", bytes));
  assertEquals(cut, ["", "a", "a", "a\u00e9", "a\u00e9", "a\u00e9", "a\u00e9", "a\u00e9\u{1f600}"]);
  assertEquals(utf8Length("a\u00e9\u{1f600}"), 7);
});
