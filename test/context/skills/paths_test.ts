import { assertEquals, assertLess } from "@std/assert";
import { cpuMs } from "../../helpers/cpu.ts";
import { insideOf, matchesPath, pathsIn } from "../../../src/context/skills/selection.ts";

const MATCHES: readonly (readonly [pattern: string, yes: readonly string[], no: readonly string[]])[] = [
  ["src/*.ts", ["src/a.ts", "src/.ts"], ["src/a/b.ts", "a.ts", "src/a.tsx", "Src/a.ts"]],
  ["src/**", ["src", "src/a", "src/a/b.ts"], ["srcs/a", "x/src/a"]],
  ["src/", ["src/a"], ["a/src/b"]],
  ["**/*.ts", ["a.ts", "a/b/c.ts"], ["a.js"]],
  ["a/**/z", ["a/z", "a/b/z", "a/z/z"], ["a/b", "z"]],
  ["*.md", ["README.md", "docs/a.md"], ["docs/a.mdx"]],
  ["/src/a.ts", ["src/a.ts"], ["x/src/a.ts"]],
  ["./src/?.ts", ["src/a.ts", "src/é.ts"], ["src/ab.ts"]],
  ["src/*.{ts,tsx}", ["src/a.ts", "src/b.tsx"], ["src/c.js"]],
  ["{a,b}/**/x*y*", ["a/xy", "b/c/x1y2"], ["c/xy", "a/yx"]],
  ["a{b", ["a{b"], ["ab"]],
  ["[a].ts", ["[a].ts"], ["a.ts"]],
  ["", [], ["a"]],
];
for (const [pattern, yes, no] of MATCHES) {
  Deno.test(`matchesPath() R129 ${JSON.stringify(pattern)}`, () => {
    assertEquals(yes.filter((path) => !matchesPath(pattern, path)), []);
    assertEquals(no.filter((path) => matchesPath(pattern, path)), []);
  });
}

Deno.test("matchesPath() takes no long time for any pattern", () => {
  const start = cpuMs();
  for (const pattern of ["*a".repeat(120), "**/a/".repeat(50) + "b", "{a,b}".repeat(50), "{".repeat(250)]) {
    matchesPath(pattern, "a".repeat(4000));
    matchesPath(pattern, "a/".repeat(2000) + "c");
  }
  assertLess(cpuMs() - start, 10_000);
});

Deno.test("pathsIn() finds what looks like a file of the workspace, each once", () => {
  const text =
    "Look at `src/a.ts:12:3`, (docs/b.md) and @c.txt; /ws/d/e.rs! not https://x.y/z or /etc/passwd or ../up.ts, " +
    "src/a.ts again, ./src/f/, e.g. v1.2 and nothing else.";
  assertEquals(pathsIn(text, "/ws"), ["src/a.ts", "docs/b.md", "c.txt", "d/e.rs", "src/f", "e.g", "v1.2"]);
});

Deno.test("insideOf() gives paths relative to the workspace and none outside it", () => {
  const cases = ["/ws/a", "a/../b", "/ws", ".", "/wsx/a", "../a", "a/../../b", "/"];
  assertEquals(cases.map((path) => insideOf(path, "/ws")), ["a", "b", ...Array(6).fill(undefined)]);
});
