import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { patchLines } from "../../../src/tui/screen/patch_lines.ts";

/** The screen of a terminal that knows what a patch may use, as lines; what has scrolled away first. */
function terminal(rows: number) {
  let lines: string[] = [""];
  let top = 0; // the first visible line
  let row = 0;
  const line = (): number => top + row;
  return {
    lines: () => lines.map((one) => one.trimEnd()),
    row: () => line(),
    write(text: string): void {
      // deno-lint-ignore no-control-regex -- the sequences of a patch
      for (const [part, count = "", kind = ""] of text.matchAll(/\x1b\[(\d*)([A-Z])|\r|\n|[^\x1b\r\n]+/g)) {
        const by = Number(count || 1);
        if (part === "\r") continue;
        if (part === "\n") {
          if (row < rows - 1) row++;
          else top++;
          while (lines.length <= line()) lines.push("");
        } else if (kind === "A") row = Math.max(0, row - by);
        else if (kind === "B") {
          row = Math.min(rows - 1, row + by);
          while (lines.length <= line()) lines.push("");
        } else if (kind === "K") lines[line()] = "";
        else if (kind === "J") lines = lines.slice(0, line()).concat("");
        else if (kind === "L") {
          lines.splice(line(), 0, ...Array.from({ length: by }, () => ""));
          lines = lines.slice(0, top + rows); // what leaves the last row is lost
        } else if (kind === "M") lines.splice(line(), by);
        else lines[line()] = part;
      }
    },
  };
}

const CASES: readonly (readonly [string, readonly string[], readonly string[], number, string])[] = [
  ["one line", ["a", "b", "c"], ["a", "B", "c"], 1, "\r\x1b[2KB"],
  ["nothing", ["a", "b"], ["a", "b"], 1, ""],
  ["lines in the middle", ["a", "z"], ["a", "b", "c", "z"], 0, "\x1b[1B\r\n\r\n\x1b[2A\x1b[2L\rb\x1b[1B\rc"],
  ["lines less in the middle", ["a", "b", "c", "z"], ["a", "z"], 3, "\x1b[2A\x1b[2M"],
  ["lines at the end", ["a"], ["a", "b"], 0, "\r\n\x1b[2Kb"],
  ["lines less at the end", ["a", "b", "c"], ["a"], 0, "\x1b[1B\r\x1b[J"],
];
for (const [name, shown, next, from, text] of CASES) {
  Deno.test(`patchLines() writes for ${name} that and nothing else`, () => {
    assertEquals(patchLines(shown, next, from).text, text);
  });
}

Deno.test("patchLines() makes any lines into any others, wherever they stand on the screen, and says where the cursor is", () => {
  const word = fc.constantFrom("a", "b", "c", "dd", "");
  const lines = fc.array(word, { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(lines, fc.array(lines, { minLength: 1, maxLength: 6 }), fc.nat(8), (first, rest, above) => {
      const screen = terminal(8);
      const over = Array.from({ length: above }, (_, at) => `above ${at}`);
      screen.write([...over, ...first].join("\r\n"));
      let [shown, row] = [first, first.length - 1];
      for (const next of rest) {
        const patch = patchLines(shown, next, row);
        screen.write(patch.text);
        [shown, row] = [next, patch.row];
        assert(row >= 0 && row < Math.max(shown.length, next.length) + 1);
        assertEquals(screen.row(), above + row, "the cursor");
        const all = screen.lines();
        assertEquals(all.slice(0, above), over, "what is above");
        assertEquals(all.slice(above, above + next.length), next);
        assertEquals(all.slice(above + next.length).filter((line) => line !== ""), [], "what is below");
      }
    }),
    { numRuns: 500 },
  );
});
