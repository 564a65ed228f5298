import { assertEquals } from "@std/assert";
import { markedLines, readabilityOf } from "../../scripts/words/measure.ts";
import { markdownProse, sourceProse } from "../../scripts/words/prose.ts";

Deno.test("markdownProse() leaves out code, rulers, comments and front matter", () => {
  const page = [
    "---",
    "title: page",
    "---",
    "# Title",
    "<!-- a comment",
    "goes on -->",
    "A [link](https://example.com/is told) and `code is told`.",
    "",
    "    indented code",
    "| --- | :-: |",
    "````sh",
    "```",
    "is told",
    "````",
    "- an item",
    "    continues here",
  ].join("\n");
  assertEquals(markdownProse(page), [
    { line: 4, text: "# Title" },
    { line: 7, text: "A link and X." },
    { line: 15, text: "- an item" },
    { line: 16, text: "    continues here" },
  ]);
});

Deno.test("sourceProse() returns strings and comments that are sentences", () => {
  const source = [
    "/** The first line of it.",
    " * The second line of it. */",
    "const text = `The file ${name} of the user`; // a comment at the end",
    'const other = "one two", regexp = /the user "is told" so/;',
    "// const code = 1;",
    'const message = "the user is not told";',
  ].join("\n");
  assertEquals(sourceProse(source), {
    strings: [
      { line: 3, text: "The file X of the user" },
      { line: 6, text: "the user is not told" },
    ],
    comments: [
      { line: 1, text: "The first line of it." },
      { line: 2, text: "The second line of it." },
      { line: 3, text: "a comment at the end" },
    ],
  });
});

Deno.test("markedLines() counts a marker where it begins, also if it continues in the next line", () => {
  const lines = [
    { line: 1, text: "The user is" },
    { line: 2, text: "told of it, and mends it." },
    { line: 4, text: "The user fixes it." },
  ];
  assertEquals(markedLines(lines).map(({ line, weight, markers }) => ({ line, weight, markers })), [
    { line: 1, weight: 2, markers: ["told"] },
    { line: 2, weight: 5, markers: ["mend", "told-of"] },
  ]);
});

Deno.test("readabilityOf() measures paragraphs and list items, not tables and headings", () => {
  const long = `One ${"word ".repeat(30)}ends.`;
  const page =
    `# A heading of words\n\n${long} Two words that end.\n- an item that\n  continues\n\n| a | cell of words |`;
  assertEquals(readabilityOf(markdownProse(page)), { sentences: 3, mean: 13.3, over30: 33, links: 5 });
  assertEquals(readabilityOf([]), undefined);
});
