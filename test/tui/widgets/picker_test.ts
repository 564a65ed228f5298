import { assertEquals } from "@std/assert";
import { picker } from "../../../src/tui/widgets/picker.ts";
import { themeOf } from "../../../src/tui/screen/theme.ts";

const LOOK = { width: 30, rows: 8, theme: themeOf("none"), expanded: false };
// deno-lint-ignore no-control-regex -- styles
const bare = (lines: readonly string[]): string[] => lines.map((line) => line.replace(/\x1b\[[0-9;]*m/g, "").trimEnd());

function opened(labels: readonly string[]) {
  const chosen: (string | undefined)[] = [];
  const dialog = picker({
    title: "Pick",
    choices: labels.map((label) => ({ label, value: label })),
    done: (value) => chosen.push(value),
  });
  return { dialog, chosen };
}

Deno.test("picker() narrows while one types, and Enter takes what is marked", () => {
  const { dialog, chosen } = opened(["alpha", "beta", "gamma"]);
  for (const key of ["a", "l"]) dialog.key(key);
  assertEquals(bare(dialog.lines(LOOK)), ["Pick", "search: al", "❯ alpha", "↑↓ choose · Enter takes it · …"]);
  for (const key of ["\x7f", "\x7f", "\x1b[B", "\r"]) dialog.key(key);
  assertEquals(chosen, ["beta"]);
});

Deno.test("picker() has no line to search where few choices are seen at once, until somebody types", () => {
  const few = opened(["yes", "no"]).dialog;
  assertEquals(bare(few.lines(LOOK)), ["Pick", "❯ yes", "  no", "↑↓ choose · Enter takes it · …"]);
  few.key("n");
  assertEquals(bare(few.lines(LOOK))[1], "search: n");
  assertEquals(bare(opened(["1", "2", "3", "4", "5", "6"]).dialog.lines(LOOK))[1], "search:");
});

Deno.test("picker() shows a window of a long list and says where in it", () => {
  const { dialog } = opened(Array.from({ length: 50 }, (_, at) => `line ${at}`));
  for (let at = 0; at < 20; at++) dialog.key("\x1b[B");
  const lines = bare(dialog.lines(LOOK));
  assertEquals([lines[0], lines.length, lines.includes("❯ line 20")], ["Pick  21/50", 8, true]);
});

Deno.test("picker() leaves on Escape and takes nothing when nothing matches", () => {
  const { dialog, chosen } = opened(["alpha"]);
  for (const key of ["z", "\r"]) dialog.key(key);
  dialog.key("\x1b");
  assertEquals(chosen, [undefined, undefined]);
});

Deno.test("picker() shows no control of a label", () => {
  const { dialog } = opened(["a\x1b[2Jb\nc"]);
  assertEquals(bare(dialog.lines(LOOK))[1], "❯ ab c");
});

Deno.test("picker() cuts a label before what is beside it", () => {
  const dialog = picker({
    title: "t",
    choices: [{ label: "word ".repeat(30), detail: "here", value: 1 }],
    done: () => {},
  });
  const [, line] = bare(dialog.lines({ ...LOOK, width: 40 }));
  assertEquals(line, "❯ word word word word word word w…  here");
});

Deno.test("picker() gives what is beside a short label the room that is left", () => {
  const choices = [{ label: "a1", detail: "reads · waiting for the model · 12 turns", value: 1 }];
  const [, line] = bare(picker({ title: "t", choices, done: () => {} }).lines({ ...LOOK, width: 60 }));
  assertEquals(line, "❯ a1  reads · waiting for the model · 12 turns");
});

Deno.test("picker() without choices is a field with a name of its own, and says nothing of choosing", () => {
  const typed = { as: "its name", value: (text: string) => text };
  const dialog = picker({ title: "Name", choices: [], typed, field: "name", escape: "goes back", done: () => {} });
  assertEquals(bare(dialog.lines({ ...LOOK, width: 60 })), [
    "Name",
    "name:",
    "  type it",
    "Enter takes it · Esc goes back",
  ]);
});

Deno.test("picker() offers what was typed below what was found, but not what is in the list", () => {
  const taken: (string | undefined)[] = [];
  const open = () =>
    picker({
      title: "t",
      choices: [{ label: "alpha", value: "alpha" }],
      typed: { as: "as typed", value: (text) => text.trim() },
      done: (value) => taken.push(value),
    });
  for (const keys of [["al", "\x1b[B", "\r"], ["alpha", "\r"], ["zeta", "\r"], ["al", "\r"]]) {
    const dialog = open();
    for (const key of keys) dialog.key(key);
  }
  assertEquals(taken, ["al", "alpha", "zeta", "alpha"]);
});

Deno.test("picker() has keys of its own for the line at hand, and none where they do nothing", () => {
  const taken: (string | undefined)[] = [];
  const dialog = picker({
    title: "t",
    choices: [{ label: "fixed", value: "fixed" }, { label: "loose", value: "loose" }],
    actions: [{
      key: "ctrl+d",
      does: "delete",
      value: (chosen) => chosen === "fixed" ? undefined : `without ${chosen}`,
    }],
    done: (value) => taken.push(value),
  });
  for (const key of ["\x04", "\x1b[B", "\x04"]) dialog.key(key);
  assertEquals(taken, ["without loose"]);
  assertEquals(
    bare(dialog.lines({ ...LOOK, width: 60 })).at(-1),
    "↑↓ choose · Enter takes it · Ctrl+D delete · Esc leaves",
  );
});

Deno.test("picker() marks lines with Space, in place, and Enter goes on", () => {
  const marked = new Set<string>();
  const done: unknown[] = [];
  const list = picker<string>({
    title: "Files",
    choices: ["a", "b"].map((value) => ({ label: () => `${marked.has(value) ? "[x]" : "[ ]"} ${value}`, value })),
    enter: () => `takes ${marked.size}`,
    mark: (value) => Boolean(marked.delete(value) || marked.add(value)),
    done: (value) => done.push(value),
  });
  const shown = () => bare(list.lines({ width: 60, rows: 24, theme: themeOf("none"), expanded: false }));
  for (const key of [" ", "\x1b[B", " ", " ", " "]) list.key(key);
  assertEquals(shown().slice(1), ["  [x] a", "❯ [x] b", "↑↓ choose · Space marks · Enter takes 2 · Esc leaves"]);
  assertEquals(done, []);
  list.key("\r");
  assertEquals(done, ["b"]);
});
