import { assertEquals } from "@std/assert";
import { answersDialog } from "../../../src/tui/dialogs/answers_dialog.ts";
import { themeOf } from "../../../src/tui/screen/theme.ts";
import { typedDraft } from "../draft.ts";

const LOOK = { width: 30, rows: 20, theme: themeOf("none"), expanded: false };
const [UP, DOWN, ENTER, ESCAPE] = ["\x1b[A", "\x1b[B", "\r", "\x1b"];

function dialog(text = "") {
  const draft = typedDraft(text);
  let time = 0;
  const given: number[] = [];
  const made = answersDialog<number>({
    head: ({ width }) => [`asked in ${width} columns`],
    answers: [
      { key: "n", answer: 0, label: "No" },
      { key: "o", answer: 1, label: "Yes, this once, and never again after it" },
      { key: "a", answer: 2, label: "Always" },
    ],
    draft,
    now: () => time,
    done: (answer) => given.push(answer),
  });
  return { made, draft, given, wait: (ms: number) => void (time += ms) };
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
  ["a letter and Enter answer, in capitals too", ["A", ENTER], [2]],
  ["a letter alone answers nothing", ["a"], []],
  ["an arrow goes on from what a letter chose", ["o", DOWN, ENTER], [2]],
  ["Escape after a letter is the first answer", ["a", ESCAPE], [0]],
  ["Ctrl+C is the first answer, whatever is chosen", [DOWN, "\x03"], [0]],
  ["Escape is the first answer, whatever is chosen", [DOWN, DOWN, ESCAPE], [0]],
];
for (const [name, keys, answers] of CASES) {
  Deno.test(`answersDialog() ${name}`, () => {
    const { made, draft, given, wait } = dialog();
    wait(500);
    draft.type(made, ...keys);
    assertEquals<readonly number[]>(given, answers);
    assertEquals(draft.text(), answers.length > 0 ? "" : keys.join(""));
  });
}

Deno.test("answersDialog() lets arrows choose at once, and takes Enter only after half a second without words", () => {
  const { made, given, wait } = dialog();
  wait(499);
  assertEquals([made.key(DOWN), made.key(ENTER), made.key("o")], [true, true, false]);
  assertEquals([made.key(DOWN), made.key(ENTER), given], [true, true, []]);
  wait(499);
  assertEquals([made.key(ENTER), given], [true, []]);
  wait(500);
  assertEquals([made.key(ENTER), given], [true, [1]]);
});

Deno.test("answersDialog() says which letters count, and shows what one chose", () => {
  const { made, draft, wait } = dialog();
  const shown = (): readonly string[] => made.lines({ ...LOOK, width: 80 }).map(plain);
  assertEquals(shown().at(-1), "↑↓ or the letter, then Enter · Esc: no");
  wait(500);
  draft.type(made, "a");
  assertEquals(shown().slice(-2), ["❯ a  Always", "↑↓ or the letter, then Enter · Esc: no"]);
  draft.type(made, "n");
  assertEquals(shown()[1], "❯ n  No");
  assertEquals(shown().at(-1), "↑↓ and Enter; letters go into the text · Esc: no");
});

const MESSAGES = ["what is this?", "hello", "please no", "no", "on", "oo", "!ls", "a o"];
for (const pause of [0, 90, 600]) {
  for (const message of MESSAGES) {
    Deno.test(`answersDialog() lets "${message}" answer nothing, typed with ${pause} ms between its keys`, () => {
      for (const quiet of [0, 600]) {
        const { made, draft, given, wait } = dialog();
        wait(quiet);
        for (const key of [...message, ENTER]) {
          draft.type(made, key);
          wait(pause);
        }
        assertEquals([draft.text(), given], [message, []]);
      }
    });
  }
}

Deno.test("answersDialog() lets no letter and no Enter answer that goes on with what stood in the editor before", () => {
  const { made, draft, given, wait } = dialog("hell");
  wait(600);
  draft.type(made, "o", ENTER);
  assertEquals([draft.text(), given], ["hello", []]);
  const other = dialog("o");
  other.wait(600);
  other.draft.type(other.made, ENTER);
  assertEquals([other.draft.text(), other.given], ["o", []]);
  other.wait(600);
  other.draft.type(other.made, DOWN, ENTER);
  assertEquals([other.draft.text(), other.given], ["o", [1]]);
});

Deno.test("answersDialog() forgets what an arrow chose when somebody writes", () => {
  const { made, draft, given, wait } = dialog();
  wait(600);
  draft.type(made, DOWN, "x");
  wait(600);
  draft.type(made, ENTER);
  assertEquals([draft.text(), given], ["x", []]);
});

Deno.test("answersDialog() takes a paste for no answer", () => {
  const { made, draft, given, wait } = dialog();
  wait(600);
  draft.type(made, "\x1b[200~o\x1b[201~", ENTER);
  assertEquals(given, []);
});
