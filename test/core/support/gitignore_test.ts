import { assertEquals } from "@std/assert";
import { parseIgnore } from "../../../src/core/support/gitignore.ts";

const CASES: readonly {
  readonly rules: string;
  /** Paths of files, or with a slash at the end of folders. */
  readonly ignored: readonly string[];
  readonly kept: readonly string[];
}[] = [
  { rules: "*.log", ignored: ["a.log", "x/b.log", "c.log/"], kept: ["a.logs", "log"] },
  { rules: "build/", ignored: ["build/", "x/build/"], kept: ["build", "x/build"] },
  { rules: "/build", ignored: ["build", "build/"], kept: ["x/build"] },
  { rules: "doc/*.txt", ignored: ["doc/a.txt"], kept: ["x/doc/a.txt", "doc/x/a.txt"] },
  { rules: "doc/**/*.txt", ignored: ["doc/a.txt", "doc/x/y/a.txt"], kept: ["a.txt"] },
  { rules: "**/out", ignored: ["out", "x/out/"], kept: ["outs"] },
  { rules: "a/**", ignored: ["a/b", "a/b/c"], kept: ["a/", "b/a"] },
  { rules: "*.log\n!keep.log", ignored: ["a.log"], kept: ["keep.log", "x/keep.log"] },
  { rules: "!keep.log\n*.log", ignored: ["keep.log"], kept: [] },
  { rules: "\\#a\n\\!b\n# c", ignored: ["#a", "!b"], kept: ["# c", "c"] },
  { rules: "a \nb\\ \nc\\\\ \r\n", ignored: ["a", "b ", "c\\"], kept: ["a ", "b", "c\\ "] },
  { rules: "\ufefffirst", ignored: ["first"], kept: [] },
  { rules: "{a,b}", ignored: ["{a,b}"], kept: ["a"] },
  { rules: "a[\nb\\", ignored: [], kept: ["a[", "b\\", "b"] },
  { rules: "/\n//", ignored: [], kept: ["a", "x/"] },
  { rules: ".*", ignored: [".env", "x/.a"], kept: ["a.b"] },
];

for (const { rules, ignored, kept } of CASES) {
  Deno.test(`parseIgnore() reads ${JSON.stringify(rules)} as gitignore(5) says`, () => {
    const parsed = parseIgnore(rules);
    const decided = [...ignored, ...kept].filter((entry) => {
      const path = entry.replace(/\/$/, "");
      return parsed?.decide(path, path.slice(path.lastIndexOf("/") + 1), entry.endsWith("/")) === true;
    });
    assertEquals(decided, [...ignored]);
  });
}

Deno.test("parseIgnore() of a file without rules is undefined", () => {
  assertEquals(["", "\n\n", "# only a comment\n"].map(parseIgnore), [undefined, undefined, undefined]);
});

Deno.test("parseIgnore() says when a rule re-includes and when none speaks", () => {
  const rules = parseIgnore("*.log\n!a.log");
  assertEquals([rules?.decide("a.log", "a.log", false), rules?.decide("b", "b", false)], [false, undefined]);
});
