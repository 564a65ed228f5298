import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { matchLines } from "../../../tools/search/line_matches.ts";
import { compilePattern, type Pattern } from "../../../tools/search/pattern.ts";

const never = (): boolean => false;

function pattern(source: string): Pattern {
  const result = compilePattern(source, {});
  if ("error" in result) throw new Error(result.error);
  return result;
}

function lines(text: string, source: string, limit = 1000): readonly number[] {
  return matchLines(text, pattern(source), limit, never).lines;
}

/** What a line-by-line search gives: the definition that the fast one has to meet. */
function plainly(text: string, source: string): number[] {
  const all = text.split("\n");
  if (all.at(-1) === "") all.pop();
  return all.flatMap((line, number) => new RegExp(source, "m").test(line) ? [number] : []);
}

const PATTERNS = [
  "a",
  "^",
  "$",
  "^$",
  "a$",
  "^b",
  "a*",
  "\\s",
  "\\s+b",
  "a\\s*b",
  "[^a]",
  "[^a]b",
  "\\W",
  "\\Wb",
  "\\D$",
  "a[\\s;]b",
  "[\\W]",
  "(a|b)\\s",
  ".",
  "a.b",
  "\\bab",
  "b\\B",
  "\\S+\\s\\S",
  "a\\nb",
  "[\\n]",
  "[^\\S]",
  "\\x0a",
  "a{2}",
  "[[:space:]]a".replace("[:space:]", "\\s"),
  "(?:a|^)b",
  "a?$",
] as const;

Deno.test("matchLines() on a whole text finds what a search line by line finds", () => {
  const text = fc.array(fc.constantFrom("a", "b", "aa", " ", "\t", ";", "\n", "\n", "é", "A"), { maxLength: 40 })
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, fc.constantFrom(...PATTERNS), (text, source) => {
      assertEquals(lines(text, source), plainly(text, source));
    }),
    { numRuns: 4000, seed: 1 },
  );
});

Deno.test("matchLines() runs over whole texts for all but a few odd patterns", () => {
  const slow = PATTERNS.filter((source) => !pattern(source).wholeText);
  assertEquals(slow, ["[\\W]", "a\\nb", "[\\n]", "\\x0a"]);
});

Deno.test("matchLines() keeps line numbers over many pieces", () => {
  const text = Array.from({ length: 20_000 }, (_, i) => i % 1000 === 0 ? `hit ${i}` : `line ${i}`).join("\n");
  assertEquals(lines(text, "^hit"), Array.from({ length: 20 }, (_, i) => i * 1000));
});

Deno.test("matchLines() stops at the limit", () => {
  assertEquals(lines("a\na\na\n", "a", 2), [0, 1]);
});

Deno.test("matchLines() gives a line once, however often it matches", () => {
  assertEquals(lines("aaa\nb\naa", "a"), [0, 2]);
});

Deno.test("matchLines() treats CRLF as a line end", () => {
  assertEquals(lines("ab\r\nb\r\n\r\n", "b$"), [0, 1]);
});

const LONG = 100_000;
const LONG_LINES: readonly (readonly [source: string, line: string, found: boolean])[] = [
  ["needle", "x".repeat(LONG) + "needle" + "x".repeat(LONG), true],
  ["nee+dle$", "x".repeat(LONG) + "needle", true],
  ["^needle", "x".repeat(16_384 - 2_048) + "needle" + "x".repeat(LONG), false],
  ["x$", "x".repeat(LONG) + "y", false],
  ["a.{1000}b", "-".repeat(16_000) + "a" + "-".repeat(1000) + "b" + "-".repeat(LONG), true],
];
for (const [source, line, found] of LONG_LINES) {
  Deno.test(`matchLines() ${found ? "finds" : "does not find"} ${source} in a line of ${line.length} characters`, () => {
    assertEquals(lines(`\n${line}\n`, source), found ? [1] : []);
  });
}

Deno.test("matchLines() looks at the clock within a line on which a pattern is slow", () => {
  let asked = 0;
  const result = matchLines("ab".repeat(500_000), pattern("a.*c"), 1, () => ++asked > 2);
  assertEquals([result, asked], [{ lines: [], isCut: true }, 3]);
});

Deno.test("matchLines() says that it was cut when time is over", () => {
  const text = "line\n".repeat(20_000);
  let asked = 0;
  assertEquals(matchLines(text, pattern("[x]"), 10, () => ++asked > 2), { lines: [], isCut: true });
});
