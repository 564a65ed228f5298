import { assertEquals, assertStringIncludes } from "@std/assert";
import { fixedBlock } from "../../../src/tui/widgets/block.ts";
import { fullView } from "../../../src/tui/view/full_view.ts";
import { themeOf } from "../../../src/tui/screen/theme.ts";
import { createTranscript } from "../../../src/tui/transcript/transcript.ts";

const LOOK = { width: 40, theme: themeOf("none"), expanded: false, rows: 6 };

/** Blocks of three lines in full; in short they have one. */
function opened(count: number) {
  const transcript = createTranscript();
  const add = (at: number): void =>
    transcript.add(fixedBlock(({ expanded }) => expanded ? [`${at} a`, `${at} b`, `${at} c`] : [`${at} short`]));
  for (let at = 0; at < count; at++) add(at);
  transcript.take(LOOK);
  const view = fullView(transcript);
  return {
    add,
    view,
    press: (...keys: readonly string[]): readonly string[] => {
      view.lines(LOOK, "");
      for (const key of keys) view.key(key);
      return view.lines(LOOK, "").slice(0, -1);
    },
  };
}

const [UP, DOWN, HOME, END, PAGE_UP] = ["\x1b[A", "\x1b[B", "\x1b[H", "\x1b[F", "\x1b[5~"] as const;

Deno.test("fullView() begins at the end, reaches the first block, and comes back", () => {
  const { press } = opened(50);
  assertEquals(press(), ["48 c", "", "49 a", "49 b", "49 c"]);
  assertEquals(press(UP), ["48 b", "48 c", "", "49 a", "49 b"]);
  assertEquals(press(PAGE_UP), ["47 a", "47 b", "47 c", "", "48 a"]);
  assertEquals(press(HOME), ["", "0 a", "0 b", "0 c", ""]);
  assertEquals(press(UP, UP), ["", "0 a", "0 b", "0 c", ""]);
  assertEquals(press(DOWN), ["0 a", "0 b", "0 c", "", "1 a"]);
  assertEquals(press("\t"), ["", "1 a", "1 b", "1 c", ""]);
  assertEquals(press("\t", "\t", "\x1b[Z"), ["", "2 a", "2 b", "2 c", ""]);
  assertEquals(press(END), ["48 c", "", "49 a", "49 b", "49 c"]);
});

Deno.test("fullView() shows every line of every block on the way up", () => {
  const { press } = opened(9);
  const seen = new Set(press());
  for (let at = 0; at < 60; at++) press(UP).forEach((line) => seen.add(line));
  assertEquals(seen.size, 9 * 3 + 1);
});

Deno.test("fullView() stays at the end while more arrives, and where it was put otherwise", () => {
  const { press, add } = opened(5);
  add(5);
  assertEquals(press().at(-1), "5 c");
  press(HOME);
  add(6);
  assertEquals(press()[1], "0 a");
});

Deno.test("fullView() says what is not kept, what waits, and is left with Escape", () => {
  const { press, view } = opened(2100);
  assertStringIncludes(press(HOME).join(" "), "100 earlier blocks are not kept");
  assertStringIncludes(view.lines(LOOK, "A question waits").at(-1) ?? "", "A question waits");
  assertEquals(["\x1b", "q", "\r"].map(view.key), [false, false, false]);
});

Deno.test("fullView() of nothing is empty and takes every key", () => {
  const { press } = opened(0);
  assertEquals(press(UP, DOWN, HOME, END, PAGE_UP, "\t", "\x1b[Z"), ["", "", "", "", ""]);
});
