import { assertEquals } from "@std/assert";
import { answersDialog } from "../../src/tui/answers_dialog.ts";
import { themeOf } from "../../src/tui/theme.ts";

const LOOK = { width: 30, rows: 20, theme: themeOf("none"), expanded: false };
const [UP, DOWN, ENTER, ESCAPE] = ["\x1b[A", "\x1b[B", "\r", "\x1b"];

function dialog() {
  let time = 0;
  const given: number[] = [];
  const made = answersDialog<number>({
    head: ({ width }) => [`asked in ${width} columns`],
    answers: [
      { key: "n", answer: 0, label: "No" },
      { key: "o", answer: 1, label: "Yes, this once, and never again after it" },
      { key: "a", answer: 2, label: "Always" },
    ],
    now: () => time,
    done: (answer) => given.push(answer),
  });
  return { made, given, wait: (ms: number) => void (time += ms) };
}

// deno-lint-ignore no-control-regex -- styles
const plain = (line: string): string => line.replace(/\x1b\[[0-9;]*m/g, "");

Deno.test("answersDialog() shows the question and its answers, cut to the width, and marks the chosen one", () => {
  const { made } = dialog();
  const shown = (): readonly string[] => made.lines(LOOK).map(plain);
  assertEquals(shown().slice(0, 2), ["asked in 30 columns", "❯ n  No"]);
  assertEquals(shown().every((line) => line.length <= LOOK.width), true);
  made.key(DOWN);
  assertEquals(shown().filter((line) => line.startsWith("❯")).map((line) => line.slice(0, 12)), ["❯ o  Yes, th"]);
  assertEquals(made.keepsEditor, true);
});

const CASES: readonly (readonly [name: string, keys: readonly string[], given: readonly number[]])[] = [
  ["arrows go round downwards", [DOWN, DOWN, DOWN, ENTER], [0]],
  ["arrows go round upwards", [UP, ENTER], [2]],
  ["a letter answers in capitals too", ["A"], [2]],
  ["Ctrl+C is the first answer, whatever is chosen", [DOWN, "\x03"], [0]],
  ["Escape is the first answer, whatever is chosen", [DOWN, DOWN, ESCAPE], [0]],
];
for (const [name, keys, answers] of CASES) {
  Deno.test(`answersDialog() ${name}`, () => {
    const { made, given, wait } = dialog();
    wait(500);
    assertEquals(keys.map((key) => made.key(key)), keys.map(() => true));
    assertEquals<readonly number[]>(given, answers);
  });
}

Deno.test("answersDialog() lets arrows choose at once, and takes Enter only after half a second without words", () => {
  const { made, given, wait } = dialog();
  wait(499);
  assertEquals([made.key(DOWN), made.key(ENTER), made.key("o")], [true, true, false]);
  wait(499);
  assertEquals([made.key(ENTER), given], [true, []]);
  wait(500);
  assertEquals([made.key(ENTER), given], [true, [1]]);
});
