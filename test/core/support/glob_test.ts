import { assertEquals } from "@std/assert";
import { compileGlob, escapeRegex } from "../../../src/core/support/glob.ts";
import { cpuMs } from "../../helpers/cpu.ts";

const CASES: readonly (readonly [glob: string, matches: readonly string[], misses: readonly string[]])[] = [
  ["*.ts", ["a.ts", ".ts", ".hidden.ts"], ["a.tsx", "x/a.ts", "ats"]],
  ["**/*.ts", ["a.ts", "x/a.ts", "x/y/.b.ts"], ["a.js", "x/a.ts/b"]],
  ["src/**", ["src/a", "src/a/b"], ["src", "srcx/a", "a/src/b"]],
  ["src/**/t/*.md", ["src/t/a.md", "src/x/y/t/a.md"], ["src/t/x/a.md", "src/xt/a.md"]],
  ["**", ["a", "a/b"], []],
  ["a**b", ["ab", "axxb"], ["a/b"]],
  ["*a*0*", ["a0", "xa10"], ["a", "0a"]],
  ["*a*b*c", ["abc", "xaxbbxcc"], ["acb", "a/bc", "abcx"]],
  ["*a*/*b*", ["a/b", "xax/b"], ["ab", "b/a", "a/x/b"]],
  ["*{a*b,c}*d", ["abd", "xcxd", "axbxd"], ["ad", "d"]],
  ["?.c", ["a.c", "é.c", "😀.c"], [".c", "ab.c", "/.c"]],
  ["[a-c]x", ["ax", "cx"], ["dx", "x"]],
  ["[!a-c]x", ["dx"], ["ax", "/x"]],
  ["[]a]x", ["]x", "ax"], ["bx"]],
  ["[a\\]]x", ["]x", "ax"], ["\\x"]],
  ["[[:digit:]_]x", ["1x", "_x"], ["ax", ":x"]],
  ["[z-a]x", [], ["ax", "zx"]],
  ["a[b", ["a[b"], ["ab"]],
  ["a\\*b", ["a*b"], ["axb"]],
  ["a.b+(c)|$^", ["a.b+(c)|$^"], ["axb+(c)|$^"]],
  ["*.{ts,tsx}", ["a.ts", "a.tsx"], ["a.js", "a.{ts,tsx}"]],
  ["{a,b{c,d}}.x", ["a.x", "bc.x", "bd.x"], ["b.x", "cd.x"]],
  ["a{b", ["a{b"], ["ab"]],
  ["a},b", ["a},b"], []],
  ["\\{a,b}", ["{a,b}"], ["a", "b"]],
];

for (const [glob, matches, misses] of CASES) {
  Deno.test(`compileGlob() ${glob} matches what it should and nothing else`, () => {
    const regex = compileGlob(glob, { braces: true });
    assertEquals([...matches, ...misses].filter((path) => regex.test(path)), [...matches]);
  });
}

/** What takes a backtracking matcher longer than anybody waits. */
const EVIL: readonly (readonly [glob: string, path: string, matches: boolean])[] = [
  ["{*a,*}".repeat(12) + "x", "a".repeat(100), false],
  ["{a,aa}".repeat(60) + "b", "a".repeat(100), false],
  ["{a,aa}".repeat(60), "a".repeat(100), true],
  ["**/a/".repeat(12) + "b", "a/".repeat(400) + "c", false],
  ["**/a/".repeat(12) + "c", "a/".repeat(400) + "c", true],
  ["**/".repeat(20) + "b", "a/".repeat(400) + "c", false],
  ["**/*a*/".repeat(8) + "b", "aaaa/".repeat(300) + "c", false],
  ["a/{**/,x}{b,**}/{?,[!q]}*{.ts,}*", "a/x/b/d.ts", true],
  ["*/**/*/**/*/**/x", "a/b/c/d/x", true],
  ["*/**/*/**/*/**/x", "a/b/x", false],
];
for (const [at, [glob, path, matches]] of EVIL.entries()) {
  Deno.test(`compileGlob() takes no more time for globs that are made for it, ${at}`, () => {
    const start = cpuMs();
    assertEquals(compileGlob(glob, { braces: true }).test(path), matches);
    assertEquals(cpuMs() - start < 10_000, true);
  });
}

Deno.test("compileGlob() says the same however it matches", () => {
  for (const [glob, matches, misses] of CASES.filter(([glob]) => !glob.endsWith("**"))) {
    // With more braces it matches in the other way; these add nothing.
    const regex = compileGlob(`${glob}{,!}{,!}{,!}`, { braces: true });
    assertEquals([glob, [...matches, ...misses].filter((path) => regex.test(path))], [glob, [...matches]]);
  }
});

Deno.test("compileGlob() takes braces literally where they have no meaning", () => {
  const regex = compileGlob("*.{ts,js}", { braces: false });
  assertEquals(["a.ts", "a.{ts,js}"].filter((path) => regex.test(path)), ["a.{ts,js}"]);
});

Deno.test("compileGlob() ignores case only when asked", () => {
  assertEquals(compileGlob("readme*", { braces: true, ignoreCase: true }).test("README.md"), true);
  assertEquals(compileGlob("readme*", { braces: true }).test("README.md"), false);
});

Deno.test("compileGlob() with many stars stays fast on a long name", () => {
  const start = cpuMs();
  compileGlob("*a".repeat(20) + "b", { braces: true }).test("a".repeat(255));
  assertEquals(cpuMs() - start < 10_000, true);
});

Deno.test("escapeRegex() makes any text match itself alone", () => {
  const text = "a.b*c+d?e^f$g{1}(h)|[i]\\j/k-l";
  for (const flags of ["", "u"]) assertEquals(new RegExp(`^${escapeRegex(text)}$`, flags).test(text), true);
});
