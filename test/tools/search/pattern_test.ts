import { assertEquals, assertMatch } from "@std/assert";
import { compilePattern, type Pattern } from "../../../tools/search/pattern.ts";

function compiled(pattern: string, options: { literal?: boolean; ignoreCase?: boolean } = {}): Pattern {
  const result = compilePattern(pattern, options);
  if ("error" in result) throw new Error(result.error);
  return result;
}

function hits(pattern: string, text: string, options: { literal?: boolean; ignoreCase?: boolean } = {}): boolean {
  const { regex } = compiled(pattern, options);
  regex.lastIndex = 0;
  return regex.test(text);
}

const SPELLINGS: readonly (readonly [pattern: string, text: string, matches: boolean])[] = [
  ["-rf", "rm -rf", true],
  ["(?i)ERROR", "an error", true],
  ["(?P<year>\\d{4})", "in 2024", true],
  ["[[:alpha:]_]+\\d", "a_1", true],
  ["[^[:space:]]b", " b", false],
  ["interface {", "interface {", true],
  ["\\-\\'", "-'", true],
  ["\\p{Lu}x", "Éx", true],
  ["😀{2}", "😀😀", true],
  ["naïve", "naïve", true],
];
for (const [pattern, text, matches] of SPELLINGS) {
  Deno.test(`compilePattern() understands ${pattern}`, () => assertEquals(hits(pattern, text), matches));
}

Deno.test("compilePattern() takes literal text for what it is", () => {
  const text = "a.b*c+d?e^f$g{1}(h)|[i]\\j/k-l";
  assertEquals([hits(text, `x${text}y`, { literal: true }), hits("a.b", "axb", { literal: true })], [true, false]);
});

for (const broken of ["(", "*a", "[z-a]", "a)", "(?x)a b", "\\p{Nonsense}"]) {
  Deno.test(`compilePattern() says what is wrong with ${broken} and what to do`, () => {
    const result = compilePattern(broken, {});
    assertMatch("error" in result ? result.error : "", /^Invalid regular expression: .+ set literal: true to search/);
  });
}

Deno.test("compilePattern() refuses an empty pattern", () => {
  assertEquals("error" in compilePattern("", {}), true);
  assertEquals("error" in compilePattern("", { literal: true }), true);
});

const NEEDLES: readonly (readonly [pattern: string, skipped: string])[] = [
  ["\\w+Haystack", "hay stack"],
  ["foo\\.barx", "foo barx"],
  ["abcd?", "ab"],
  ["(x|y)common", "x y comon"],
  ["abcd{2,3}", "ab d"],
];
for (const [pattern, skipped] of NEEDLES) {
  Deno.test(`compilePattern() sorts out texts that cannot match ${pattern}`, () => {
    assertEquals(compiled(pattern).mayMatch(skipped), false);
    assertEquals(compiled(pattern, { ignoreCase: true }).mayMatch(skipped.toUpperCase()), false);
  });
}

Deno.test("compilePattern() never sorts out a text that matches", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["abc?d", "abd"],
    ["abcd*", "abc"],
    ["abcd{0}", "abc"],
    ["abc{0,1}d", "abd"],
    ["abc|xyz", "xyz"],
    ["(abc)?xyz", "xyz"],
    ["(?:abc|d)e", "de"],
    ["[abc]def", "adef"],
    ["a\\.b\\+c", "a.b+c"],
    ["a\\nbc|\\x41\\u0042C", "ABC"],
    ["a{b}c", "a{b}c"],
    ["straße", "STRAßE"],
  ];
  for (const [pattern, text] of cases) {
    const { mayMatch } = compiled(pattern, { ignoreCase: true });
    assertEquals([pattern, mayMatch(text)], [pattern, true]);
  }
});
