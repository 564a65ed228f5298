import { assert, assertEquals, assertMatch } from "@std/assert";
import fc from "fast-check";
import { LINEAR_REGEX, thisProgram } from "../../../src/sandbox/confine/self.ts";
import { knowsLinear, linearSource } from "../../../tools/search/linear.ts";

function written(source: string, ignoreCase = false, unicode = false): RegExp {
  const result = linearSource(source, { ignoreCase, unicode });
  if ("error" in result) throw new Error(`${source}: ${result.error}`);
  return new RegExp(result.source, "m");
}

/** Patterns that mean the same without flags and counts, each with texts. */
const SAME: readonly (readonly [pattern: string, flags: string])[] = [
  ["foo", "i"],
  ["[a-f]+x", "i"],
  ["[^a-f]x", "i"],
  ["[A-z]", "i"],
  ["\\bk\\w+\\B", "i"],
  ["(fo|ba)+r\\d?", "i"],
  ["\\x41\\u0062\\t?", "i"],
  ["é+[à-ü]", "i"],
  ["a{17}", ""],
  ["^[0-9a-f]{40}$", "i"],
  ["(?:a{4}){5}b", ""],
  ["((ab){3}c){6,}", ""],
  ["x{2,40}?y", ""],
  ["(a|b{20}){0,30}$", ""],
  ["(?<year>\\d{4})-\\d{2}", "i"],
  ["\\p{Lu}\\P{L}", "u"],
  ["[\\p{Ll}_]+", "u"],
  ["\\u{1F600}+", "u"],
  ...["\\ud83d", "[\\ude00]", "\\ud83d\\ude00+", "[^\\ud83d]"].map((pattern) => [pattern, "u"] as const),
  ["[]a", ""],
  ["[^]a", "i"],
  ["a{,3}", "i"],
  ["\\[\\]\\-\\/x", "i"],
];
const TEXTS = [
  ..."foo FOO fOobar xAx Zx ~x _ kilo KILO 12k a- Ab AB ÉÀ é+ éü".split(" "),
  ...["a".repeat(16), "a".repeat(17), "0aF".repeat(13) + "1", "a".repeat(20) + "b", "a".repeat(19) + "b"],
  ...[
    "abababc".repeat(6),
    "abababc".repeat(5),
    "x".repeat(40) + "y",
    "xy",
    "b".repeat(21),
    "2024-06",
    "Éx1",
    "😀😀",
    "A{,3}",
  ],
  ...["[]-/X", "", "\n", "ſ", "K"],
];

for (const [pattern, flags] of SAME) {
  Deno.test(`linearSource() matches what /${pattern}/${flags} matches`, () => {
    assert(knowsLinear(), "start the tests with deno task test");
    const own = new RegExp(pattern, flags + "m");
    const other = written(pattern, flags.includes("i"), flags.includes("u"));
    for (const text of TEXTS) assertEquals(other.test(text), own.test(text), `${other.source} on ${text}`);
    assertEquals(other.flags, "m");
  });
}

const atom = fc.constantFrom("a", "B", "[a-c]", "[^b]", ".", "\\w", "\\d", "\\b", "x", "1", "\\.");
const count = fc.constantFrom("", "", "*", "+", "?", "{2}", "{1,3}", "{17,}", "{0,18}", "*?");
const part: fc.Arbitrary<string> = fc.tuple(atom, count).map(([one, times]) => one === "\\b" ? one : one + times);
const expression = fc.array(
  fc.oneof(
    part,
    fc.tuple(fc.array(part, { maxLength: 3 }), count).map(([parts, times]) => `(${parts.join("")}|a)${times}`),
  ),
  { minLength: 1, maxLength: 4 },
).map((parts) => parts.join(""));

Deno.test("linearSource() matches what any expression without look-around matches, with and without regard to case", () => {
  // Without the engine some of these would never end.
  assert(knowsLinear(), "start the tests with deno task test");
  fc.assert(
    fc.property(expression, fc.stringMatching(/^[abBxX1.]{0,24}$/), fc.boolean(), (source, text, ignoreCase) => {
      const own = new RegExp(source, ignoreCase ? "im" : "m");
      return written(source, ignoreCase).test(text) === own.test(text);
    }),
    { numRuns: 2_000 },
  );
});

Deno.test("linearSource() rejects what has no bound on time, and names it", () => {
  const rejected = {
    "(a+)\\1": /refers back to a group with \\1/,
    "(?<q>['\"]).*\\k<q>": /refers back to a group with \\k<q>/,
    "a(?=b)": /looks ahead with \(\?=/,
    "a(?!b)": /looks ahead with \(\?!/,
    "(?<=a)b": /looks behind with \(\?<=/,
    "(?<!a)b": /looks behind with \(\?<!/,
    "(?i:a)b": /sets flags for a part/,
    "(?:a{1000}){1000}": /counts are/,
  };
  for (const [source, why] of Object.entries(rejected)) {
    for (const ignoreCase of [true, false]) {
      const result = linearSource(source, { ignoreCase, unicode: false });
      assert("error" in result || source.includes("{"), source);
      if ("error" in result) assertMatch(result.error, why);
    }
  }
});

Deno.test("what linearSource() writes ends in bounded time in a process that is started as the program is", async () => {
  const patterns = ["(a+)+$", "(a|aa)+$", "(.*)*x", "(a{1,20}){1,20}$", "(?:a|a)*[b-c]", "([a-z]+)*\\d"];
  const script = `import { compilePattern } from ${
    JSON.stringify(new URL("../../../tools/search/pattern.ts", import.meta.url).href)
  };
const text = "a".repeat(5000) + "!\\n";
for (const pattern of ${JSON.stringify(patterns)}) for (const ignoreCase of [true, false]) {
  const made = compilePattern(pattern, { ignoreCase });
  if ("error" in made) throw new Error(made.error);
  new RegExp(made.regex.source, "lgm"); // the linear engine takes it
  made.regex.test(text);
}
console.log("ended");`;
  const folder = Deno.makeTempDirSync({ prefix: "sandpiper-linear-" });
  try {
    Deno.writeTextFileSync(`${folder}/search.ts`, script);
    const { args } = thisProgram();
    const config = args[args.indexOf("--config") + 1] ?? "";
    const options = ["--no-check", "--no-prompt", "--cached-only", `--v8-flags=${LINEAR_REGEX}`, "--config", config];
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", ...options, `${folder}/search.ts`],
      // Without the engine it would be years.
      signal: AbortSignal.timeout(60_000),
    }).output();
    assertEquals(new TextDecoder().decode(stdout).trim(), "ended", new TextDecoder().decode(stderr));
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
