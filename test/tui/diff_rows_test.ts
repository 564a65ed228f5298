import { assertEquals } from "@std/assert";
import { diffRows, loadWordDiff } from "../../src/tui/blocks/diff_rows.ts";
import { themeOf } from "../../src/tui/screen/theme.ts";

await loadWordDiff();
const theme = { ...themeOf("none"), dim: themeOf("none").plain, selected: (text: string) => `[${text}]` };
const rows = (lines: readonly string[], width = 80): readonly string[] => diffRows(lines, { width, theme }).flat();

const CASES = [
  {
    name: "the words that changed inside a line",
    lines: ["-1 total = a - b;", "+1 total = a + b;"],
    shown: ["-1 total = a [-] b;", "+1 total = a [+] b;"],
  },
  {
    name: "each of several lines that changed",
    lines: ["-1 let a = 1;", "-2 let b = 2;", "+1 let a = 10;", "+2 let b = 20;"],
    shown: ["-1 let a = [1];", "-2 let b = [2];", "+1 let a = [10];", "+2 let b = [20];"],
  },
  {
    name: "nothing where lines came or went",
    lines: ["-1 one", "+1 one", "+2 two", " 3 three"],
    shown: ["-1 one", "+1 one", "+2 two", " 3 three"],
  },
  {
    name: "nothing where a line became another one",
    lines: ["-1 alpha", "+1 omega"],
    shown: ["-1 alpha", "+1 omega"],
  },
  { name: "nothing in a line that is not part of a diff", lines: ["   ..."], shown: ["   ..."] },
] as const;

for (const { name, lines, shown } of CASES) {
  Deno.test(`diffRows() marks ${name}`, () => assertEquals(rows(lines), shown));
}

Deno.test("diffRows() leaves lines that are very long without marks, and breaks them", () => {
  const long = "word ".repeat(400);
  const shown = rows([`-1 ${long}a`, `+1 ${long}b`]);
  assertEquals([shown.some((row) => row.includes("[")), shown.every((row) => row.length <= 80)], [false, true]);
});
