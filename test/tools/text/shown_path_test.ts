import { assertEquals } from "@std/assert";
import { shownPath } from "../../../tools/text/shown_path.ts";

const CASES = [
  ["/w/src/a.ts", "src/a.ts"],
  ["/w", "/w"],
  ["/work/a", "/work/a"],
  ["/w/a\nb\x1b]0;x\x07", '"a\\u000ab\\u001b]0;x\\u0007"'],
  ["/w/a\u202eb\u200bc", '"a\\u202eb\\u200bc"'],
  ["/w/\u00e9 \u{1f600}", "\u00e9 \u{1f600}"],
] as const;
for (const [path, shown] of CASES) {
  Deno.test(`shownPath() shows ${JSON.stringify(path)}`, () => assertEquals(shownPath(path, "/w"), shown));
}
