import { assertEquals } from "@std/assert";
import { editDiff } from "../../../tools/editing/diff.ts";
import { matchEdits } from "../../../tools/editing/match.ts";
import { cpuMs } from "../../helpers/cpu.ts";

const numbered = (count: number, end = "\n"): string =>
  Array.from({ length: count }, (_, i) => `l${i + 1}${end}`).join("");

const CASES = [
  {
    name: "one line with its context",
    raw: numbered(12),
    edits: [["l6\n", "new\n"]],
    diff: [
      "    ...",
      "  2 l2",
      "  3 l3",
      "  4 l4",
      "  5 l5",
      "- 6 l6",
      "+ 6 new",
      "  7 l7",
      "  8 l8",
      "  9 l9",
      " 10 l10",
    ],
    first: 6,
  },
  { name: "the first line", raw: "a\nb\n", edits: [["a", "x"]], diff: ["-1 a", "+1 x", " 2 b"], first: 1 },
  {
    name: "an insertion",
    raw: "a\nb\n",
    edits: [["a\n", "a\nx\ny\n"]],
    diff: [" 1 a", "+2 x", "+3 y", " 2 b"],
    first: 2,
  },
  { name: "a deletion", raw: "a\nb\nc\n", edits: [["b\n", ""]], diff: [" 1 a", "-2 b", " 3 c"], first: 2 },
  {
    name: "two places near each other as one block",
    raw: numbered(9),
    edits: [["l2", "A"], ["l7", "B"]],
    diff: [" 1 l1", "-2 l2", "+2 A", " 3 l3", " 4 l4", " 5 l5", " 6 l6", "-7 l7", "+7 B", " 8 l8", " 9 l9"],
    first: 2,
  },
  {
    name: "lines that stay within one large replacement",
    raw: "a\nkeep\nb\n",
    edits: [["a\nkeep\nb", "x\nkeep\ny"]],
    diff: ["-1 a", "+1 x", " 2 keep", "-3 b", "+3 y"],
    first: 1,
  },
  {
    name: "CRLF and controls, shown harmless",
    raw: "a\x1b[2Jz\r\nb\r\n",
    edits: [["b", "c"]],
    diff: [" 1 az", "-2 b", "+2 c"],
    first: 2,
  },
] as const;

for (const { name, raw, edits, diff, first } of CASES) {
  Deno.test(`editDiff() ${name}`, async () => {
    const list = edits.map(([oldText, newText]) => ({ oldText, newText }));
    assertEquals(await editDiff(raw, matchEdits(raw, list, "f")), { diff: diff.join("\n"), firstChangedLine: first });
  });
}

Deno.test("editDiff() far places are two blocks, numbered on both sides", async () => {
  const edits = [{ oldText: "l3\n", newText: "" }, { oldText: "l90", newText: "X" }];
  const raw = numbered(100);
  const { diff, firstChangedLine } = await editDiff(raw, matchEdits(raw, edits, "f"));
  assertEquals(diff.split("\n").filter((line) => !line.startsWith(" ") || line.includes("...")), [
    "- 3 l3",
    "    ...",
    "-90 l90",
    "+89 X",
  ]);
  assertEquals(firstChangedLine, 3);
});

Deno.test("editDiff() a huge replacement does not take long and is cut", async () => {
  const before = numbered(20_000, "a\n");
  const edits = [{ oldText: before, newText: numbered(20_000, "b\n") }];
  const start = cpuMs();
  const { diff } = await editDiff(before, matchEdits(before, edits, "f"));
  assertEquals([cpuMs() - start < 10_000, diff.split("\n").length], [true, 401]);
});
