import { assertEquals } from "@std/assert";
import { hasControls, restoreControls, visibleControls } from "../../../tools/text/visible_controls.ts";

const CASES = [
  { name: "plain text", raw: "a\tb\n\u00e9", shown: "a\tb\n\u00e9", has: false },
  { name: "an escape sequence", raw: "\x1b[1m\x07", shown: "\u241b[1m\u2407", has: true },
  { name: "NUL and DEL", raw: "\0\x7f", shown: "\u2400\u2421", has: true },
  { name: "C1 and bidirectional overrides", raw: "\x9b\u202e\u2066", shown: "<U+009B><U+202E><U+2066>", has: true },
];
for (const { name, raw, shown, has } of CASES) {
  Deno.test(`visibleControls() shows ${name}, restoreControls() undoes it`, () => {
    assertEquals([visibleControls(raw), hasControls(raw), restoreControls(shown, raw)], [shown, has, raw]);
  });
}

Deno.test("restoreControls() makes no control that the original does not hold", () => {
  assertEquals(restoreControls("\u241b \u2407", "only \x07"), "\u241b \x07");
});
