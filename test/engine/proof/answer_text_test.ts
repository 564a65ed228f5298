import { assertEquals } from "@std/assert";
import { shaped } from "../../../src/engine/proof/answer_text.ts";

for (
  const { text, expect } of [
    { text: ' {"a": 1}\n', expect: '{"a": 1}' },
    { text: '```json\n{"a": 1}\n```', expect: '{"a": 1}' },
    { text: "```JSON  \n\n 1 \n\n  ```\n", expect: "1" },
    { text: "```\n1\n```", expect: "1" },
    { text: "```js\n1\n```", expect: "```js\n1\n```" },
    { text: "```json\n1 ```", expect: "```json\n1 ```" },
    { text: "```json\n```", expect: "```json\n```" },
    { text: "```\n", expect: "```" },
  ]
) {
  Deno.test(`the JSON of the answer ${JSON.stringify(text)} is ${JSON.stringify(expect)}`, () => {
    assertEquals(shaped(text), expect);
  });
}

Deno.test("an answer of a fence and blank lines without an end is read in one pass", () => {
  const text = "```json" + "\n".repeat(1_000_000) + "x";
  assertEquals(shaped(text), text);
});
