import { assertEquals } from "@std/assert";
import { permissionDialog } from "../../../src/tui/dialogs/question_form.ts";
import { themeOf } from "../../../src/tui/screen/theme.ts";
import { typedDraft } from "../draft.ts";

const LOOK = { width: 60, rows: 20, theme: themeOf("none"), expanded: false };

function dialog() {
  let time = 0;
  const draft = typedDraft();
  const answers: string[] = [];
  const made = permissionDialog({
    toolName: "write\x1b[2J",
    denial: { kind: "write", target: "/a/b.txt", grant: "/a" },
    draft,
    now: () => time,
    done: (answer) => answers.push(answer),
  });
  return { made, draft, answers, wait: (ms: number) => void (time += ms) };
}

Deno.test("permissionDialog() says what was refused, what a yes does and the smallest grant; No is chosen", () => {
  // deno-lint-ignore no-control-regex -- styles
  const lines = dialog().made.lines(LOOK).map((line) => line.replace(/\x1b\[[0-9;]*m/g, ""));
  assertEquals(lines, [
    "▣ The sandbox refused write: write /a/b.txt",
    "A yes runs the call again and lets it read, change, make and",
    "delete everything in /a",
    "The smallest grant that lets it pass: --allow-write=+/a/",
    "❯ n  No",
    "  o  Yes, this once: for this call alone",
    "  s  Yes, for this session: for all its calls",
    "  p  Yes, for this project: kept in your settings",
    "↑↓ or the letter, then Enter · Esc: no",
  ]);
});

const CASES = [
  { name: "Enter after a while is no", keys: ["\r"], waits: 600, answers: ["no"] },
  { name: "a letter and Enter after a while answer", keys: ["s", "\r"], waits: 600, answers: ["session"] },
  { name: "a letter alone answers nothing", keys: ["s"], waits: 600, answers: [] },
  { name: "an arrow and Enter answer", keys: ["\x1b[B", "\r"], waits: 600, answers: ["once"] },
  { name: "Escape is no at once", keys: ["\x1b"], waits: 0, answers: ["no"] },
  { name: "a letter at once answers nothing", keys: ["s", "p", "o"], waits: 0, answers: [] },
  { name: "Enter at once answers nothing", keys: ["\x1b[B", "\r"], waits: 0, answers: [] },
  { name: "another letter answers nothing", keys: ["x"], waits: 600, answers: [] },
] as const;

for (const { name, keys, waits, answers } of CASES) {
  Deno.test(`permissionDialog() ${name}`, () => {
    const { made, draft, answers: given, wait } = dialog();
    wait(waits);
    draft.type(made, ...keys);
    assertEquals<readonly string[]>(given, answers);
  });
}

Deno.test("permissionDialog() gives what is typed to the editor, and waits for quiet anew", () => {
  const { made, draft, answers, wait } = dialog();
  wait(400);
  draft.type(made, "s");
  wait(400);
  draft.type(made, "s", "\r");
  assertEquals([draft.text(), answers], ["ss", []]);
  draft.setText("");
  wait(500);
  draft.type(made, "s", "\r");
  assertEquals([draft.text(), answers], ["", ["session"]]);
});
