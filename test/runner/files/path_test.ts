import { assertEquals, assertThrows } from "@std/assert";
import { ToolError } from "../../../src/core/error.ts";
import { resolvePath } from "../../../src/runner/files/path.ts";

const base = (...there: string[]) => ({ root: "/w", home: "/h", exists: (path: string) => there.includes(path) });

const CASES = [
  ["a.ts", "/w/a.ts"],
  ["./a/../b.ts", "/w/b.ts"],
  ["../x", "/x"],
  ["/abs//x/", "/abs/x"],
  ["", "/w"],
  [".", "/w"],
  ["@src/a.ts", "/w/src/a.ts"],
  ["@@a", "/w/@a"],
  ["~", "/h"],
  ["~/x", "/h/x"],
  ["~x", "/w/~x"],
  ["file:///etc/a%20b", "/etc/a b"],
  ["a\u00a0b\u202fc.png", "/w/a b c.png"],
  ["a\nb", "/w/a\nb"],
  ["%2e%2e/x", "/w/%2e%2e/x"],
] as const;

for (const [given, path] of CASES) {
  Deno.test(`resolvePath() ${JSON.stringify(given)} is ${path}`, () => assertEquals(resolvePath(given, base()), path));
}

Deno.test("resolvePath() a name that exists exactly as given wins", () => {
  assertEquals(resolvePath("@types/x", base("/w/@types/x")), "/w/@types/x");
  assertEquals(resolvePath("5\u202fPM.png", base("/w/5\u202fPM.png")), "/w/5\u202fPM.png");
});

for (const bad of ["a\0b", "file:///a%00b", "file://%zz"]) {
  Deno.test(`resolvePath() refuses ${JSON.stringify(bad)}`, () => {
    assertThrows(() => resolvePath(bad, base()), ToolError);
  });
}
