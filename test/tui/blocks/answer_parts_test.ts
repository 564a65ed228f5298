import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { type AnswerPart, answerSplitter } from "../../../src/tui/blocks/answer_parts.ts";

function split(text: string, size: number): AnswerPart[] {
  const splitter = answerSplitter();
  const parts: AnswerPart[] = [];
  for (let at = 0; at < text.length; at += size) parts.push(...splitter.push(text.slice(at, at + size)));
  return [...parts, ...splitter.end()];
}

const prose = (text: string): AnswerPart => ({ kind: "prose", text });
const code = (lang: string, text: string, isFirst = true): AnswerPart => ({ kind: "code", lang, text, isFirst });

const CASES: readonly { readonly name: string; readonly text: string; readonly parts: readonly AnswerPart[] }[] = [
  { name: "paragraphs", text: "a\nb\n\nc", parts: [prose("a\nb"), prose("c")] },
  {
    name: "a list item with an indented paragraph as one",
    text: "- a\n\n  b\n- c\n\nd",
    parts: [prose("- a\n\n  b\n- c"), prose("d")],
  },
  {
    name: "a fence between paragraphs",
    text: "a\n```ts\nx\n\ny\n```\nb",
    parts: [prose("a"), code("ts", "x\n\ny"), prose("b")],
  },
  { name: "a fence that is not closed", text: "```\nx", parts: [code("", "x")] },
  { name: "an empty fence", text: "```js\n```\n", parts: [code("js", "")] },
  { name: "a longer fence around a shorter one", text: "````md\n```\n````\n", parts: [code("md", "```")] },
  { name: "tildes", text: "~~~\n```\n~~~\n", parts: [code("", "```")] },
  { name: "code in a line as prose", text: "a ```b``` c", parts: [prose("a ```b``` c")] },
  { name: "nothing", text: "\n \n", parts: [] },
];

for (const { name, text, parts } of CASES) {
  Deno.test(`answerSplitter() splits ${name}, however the text comes`, () => {
    for (const size of [1, 2, 3, 7, 1000]) assertEquals(split(text, size), parts, `pieces of ${size}`);
  });
}

Deno.test("answerSplitter() cuts a long code block and goes on in it", () => {
  const lines = Array.from({ length: 90 }, (_, at) => `line ${at}`);
  assertEquals(split(`\`\`\`ts\n${lines.join("\n")}\n\`\`\`\n`, 50), [
    code("ts", lines.slice(0, 40).join("\n")),
    code("ts", lines.slice(40, 80).join("\n"), false),
    code("ts", lines.slice(80).join("\n"), false),
  ]);
});

Deno.test("answerSplitter() keeps what is open small, also in a line without an end", () => {
  const splitter = answerSplitter();
  let longest = 0;
  let all = "";
  for (let at = 0; at < 5000; at++) {
    for (const part of splitter.push("word ")) all += part.text + " ";
    longest = Math.max(longest, splitter.open()?.text.length ?? 0);
  }
  for (const part of splitter.end()) all += part.text + " ";
  assertEquals([longest <= 6005, all.trim().split(/\s+/).length], [true, 5000]);
});

Deno.test("answerSplitter() gives the same parts for every way of cutting a text up", () => {
  const line = fc.constantFrom("", "a", "- b", "  c", "```", "```ts", "~~~", "# d", "| e |", "````");
  fc.assert(fc.property(fc.array(line, { maxLength: 12 }), fc.integer({ min: 1, max: 9 }), (lines, size) => {
    const text = lines.join("\n");
    assertEquals(split(text, size), split(text, text.length + 1));
  }));
});
