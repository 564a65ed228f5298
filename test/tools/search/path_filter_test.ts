import { assertEquals } from "@std/assert";
import { globFilter, namePattern } from "../../../tools/search/path_filter.ts";

const name = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
const PATHS = ["a.ts", "src/a.ts", "src/x/b.ts", "lib/src/c.ts", "README.md", "src/.env"];

const GLOBS: readonly (readonly [glob: string, excludes: boolean, matched: readonly string[]])[] = [
  ["*.ts", false, ["a.ts", "src/a.ts", "src/x/b.ts", "lib/src/c.ts"]],
  ["src/*.ts", false, ["src/a.ts"]],
  ["./src/*.ts", false, ["src/a.ts"]],
  ["/src/**", false, ["src/a.ts", "src/x/b.ts", "src/.env"]],
  ["src/", false, ["src/a.ts", "src/x/b.ts", "src/.env"]],
  ["/*.ts", false, ["a.ts"]],
  ["*.{md,env}", false, ["README.md", "src/.env"]],
  ["!*.ts", true, ["a.ts", "src/a.ts", "src/x/b.ts", "lib/src/c.ts"]],
  ["readme.md", false, []],
];
for (const [glob, excludes, matched] of GLOBS) {
  Deno.test(`globFilter() ${glob} is about paths from the searched folder`, () => {
    const filter = globFilter(glob);
    assertEquals(filter.excludes, excludes);
    assertEquals(PATHS.filter((path) => filter.matches(path, name(path))), [...matched]);
  });
}

const PATTERNS: readonly (readonly [pattern: string, matched: readonly string[]])[] = [
  ["*.ts", ["a.ts", "src/a.ts", "src/x/b.ts", "lib/src/c.ts"]],
  ["src/*.ts", ["src/a.ts", "lib/src/c.ts"]],
  ["./src/*.ts", ["src/a.ts", "lib/src/c.ts"]],
  ["**/x/*", ["src/x/b.ts"]],
  ["/work/src/*.ts", ["src/a.ts"]],
  ["readme*", ["README.md"]],
  ["Readme*", []],
  ["-x", []],
];
for (const [pattern, matched] of PATTERNS) {
  Deno.test(`namePattern() ${pattern} finds what a person means`, () => {
    const { matches } = namePattern(pattern, "/work");
    assertEquals(PATHS.filter((path) => matches(path, name(path))), [...matched]);
  });
}

Deno.test("namePattern() with a slash at the end asks for folders", () => {
  const { foldersOnly, matches } = namePattern("s*c/", "/work");
  assertEquals([foldersOnly, matches("lib/src", "src")], [true, true]);
});
