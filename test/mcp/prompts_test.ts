import { assertEquals } from "@std/assert";
import { promptArguments, usablePrompts } from "../../src/mcp/prompts.ts";

const ARGS = [{ name: "code", isRequired: true }, { name: "style", isRequired: false }];

const CASES = [
  { words: ["a.ts"], given: { code: "a.ts" } },
  { words: ["a.ts", "short", "please"], given: { code: "a.ts", style: "short please" } },
  { words: ["style=short", "a.ts"], given: { style: "short", code: "a.ts" } },
  { words: ["x=1"], given: { code: "x=1" } },
  { words: ["style=short"], given: undefined },
  { words: [], given: undefined },
] as const;

for (const { words, given } of CASES) {
  Deno.test(`promptArguments() makes ${JSON.stringify(given)} of ${JSON.stringify(words)}`, () => {
    assertEquals(promptArguments(words, ARGS), given);
  });
}

Deno.test("usablePrompts() leaves out what has no usable name, and cuts what is long", () => {
  const list = [{ name: "a" }, { name: "a" }, { name: "" }, 1, null, {
    name: "b",
    arguments: [{ name: "x", required: true }],
  }];
  assertEquals(usablePrompts(list), [
    { name: "a", description: "", args: [] },
    { name: "b", description: "", args: [{ name: "x", isRequired: true }] },
  ]);
  assertEquals(usablePrompts(Array.from({ length: 500 }, (_, at) => ({ name: `p${at}` }))).length, 64);
});
