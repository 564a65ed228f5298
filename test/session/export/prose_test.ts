import process from "node:process";
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import MarkdownIt from "markdown-it";
import { proseHtml } from "../../../src/session/html/prose.ts";
import { fenced, literal, proseMarkdown } from "../../../src/session/export/markdown.ts";
import { readPage } from "./read_html.ts";
import { rounds } from "../../helpers/rounds.ts";

const CASES = [
  ["text", "a\nb\n\nc", "<p>a<br>\nb</p>\n<p>c</p>", "a\nb\n\nc"],
  [
    "code",
    "```js\nx < y\n```\nz",
    "<pre><code>x &lt; y\n</code></pre>\n<p>z</p>",
    "```js\nx < y\n```\n\nz",
  ],
  [
    "code with colours",
    "```ts\nconst a = '<b>';\n```",
    '<pre><code><span class="hljs-keyword">const</span> a = ' +
    '<span class="hljs-string">&#39;&lt;b&gt;&#39;</span>;\n</code></pre>',
    "```ts\nconst a = '<b>';\n```",
  ],
  ["code that never ends", "```\na\n# b", "<pre><code>a\n# b</code></pre>", "```\na\n# b\n```"],
  ["code with a fence in it", "````\n```\n````", "<pre><code>```\n</code></pre>", "````\n```\n````"],
  [
    "code with tildes",
    "~~~ a b\n```\n~~~",
    "<pre><code>```\n</code></pre>",
    "````\n```\n````",
  ],
  ["headings", "# A #\n#### B", "<h3>A</h3>\n<h6>B</h6>", "### A\n\n###### B"],
  ["no heading", "#a", "<p>#a</p>", "\\#a"],
  [
    "lists",
    "- a\n  - b\n    more\n1. **c**\n\ntext",
    "<ul>\n<li>a\n<ul>\n<li>b<br>\nmore</li>\n</ul>\n</li>\n</ul>\n<ol>\n<li><strong>c</strong></li>\n</ol>\n<p>text</p>",
    "- a\n  - b\n    more\n\n1. **c**\n\ntext",
  ],
  [
    "a list with room between its items",
    "- a\n\n  2. b\n\n- c",
    '<ul>\n<li>\n<p>a</p>\n<ol start="2">\n<li>b</li>\n</ol>\n</li>\n<li>\n<p>c</p>\n</li>\n</ul>',
    "- a\n\n  2. b\n- c",
  ],
  ["a list after a text", "a:\n* b", "<p>a:</p>\n<ul>\n<li>b</li>\n</ul>", "a:\n\n- b"],
  [
    "code in a list",
    "- a\n  ```\n  b\n   c\n  ```",
    "<ul>\n<li>a<pre><code>b\n c\n</code></pre>\n</li>\n</ul>",
    "- a\n  ```\n  b\n   c\n  ```",
  ],
  ["code in a line", "a `<b>` ``c`d``", "<p>a <code>&lt;b&gt;</code> <code>c`d</code></p>", "a `<b>` ``c`d``"],
  ["half a code", "a ` b `` c", "<p>a ` b `` c</p>", "a \\` b \\`\\` c"],
  ["bold", "**a** ** b** **", "<p><strong>a</strong> ** b** **</p>", "**a** \\** b** **"],
  ["a tag", "<b>", "<p>&lt;b&gt;</p>", "&lt;b>"],
  ["a link that runs", "[a](javascript:x)", "<p>[a](javascript:x)</p>", "\\[a\\](javascript:x)"],
  [
    "a link",
    "[a](https://b.example/?c&d)",
    '<p><a href="https://b.example/?c&amp;d" rel="noopener noreferrer">a</a> ' +
    '<span class="address">(https://b.example/?c&amp;d)</span></p>',
    "\\[a\\](https://b.example/?c&amp;d)",
  ],
  [
    "a picture from elsewhere",
    "![a](http://b.example/c.png)",
    '<p>!<a href="http://b.example/c.png" rel="noopener noreferrer">a</a> ' +
    '<span class="address">(http://b.example/c.png)</span></p>',
    "!\\[a\\](http://b.example/c.png)",
  ],
  ["a name of a file", "see README.md", "<p>see README.md</p>", "see README.md"],
  [
    "a definition",
    "[a]: http://b.c",
    '<p>[a]: <a href="http://b.c" rel="noopener noreferrer">http://b.c</a></p>',
    "\\[a\\]: http://b.c",
  ],
  ["a backslash before code", "\\`a`", "<p>`a`</p>", "\\\\`a`"],
  [
    "a rule and a line under a text",
    "a\n---\n> b\n| c",
    "<h4>a</h4>\n<blockquote>\n<p>b<br>\n| c</p>\n</blockquote>",
    "a\n\\---\n\\> b\n\\| c",
  ],
  [
    "a table",
    "|a|b|\n|-:|-|\n|1|<b>|",
    '<table>\n<thead>\n<tr>\n<th class="right">a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n' +
    '<td class="right">1</td>\n<td>&lt;b&gt;</td>\n</tr>\n</tbody>\n</table>',
    "\\|a|b|\n\\|-:|-|\n\\|1|&lt;b>|",
  ],
  ["nothing", "", "", ""],
] as const;
for (const [name, markdown, html, anew] of CASES) {
  Deno.test(`proseHtml() and proseMarkdown() of ${name}`, () => {
    assertEquals([proseHtml(markdown), proseMarkdown(markdown)], [html, anew]);
  });
}

const pieces = fc.array(
  fc.constantFrom(
    "`",
    "``",
    "```",
    "~~~",
    "\n",
    "\n\n",
    " ",
    "**",
    "*",
    "# ",
    "- ",
    "1. ",
    "<b>",
    "&lt;",
    "]",
    "(",
    "a",
    "\\",
    "\t",
    '"',
  ),
  { maxLength: 40 },
).map((parts) => parts.join(""));

Deno.test("proseHtml() of anything is closed, escaped and loses no letter", () => {
  fc.assert(
    fc.property(pieces, (markdown) => {
      const { tags, texts } = readPage(`<!DOCTYPE html>\n${proseHtml(markdown)}`);
      const ours = /^\/?(?:p|pre|code|strong|em|s|h[3-6]|ul|ol|li|hr|br|blockquote)$/;
      assert(tags.every((tag) => ours.test(tag)), tags.join());
      // Of an entity its character is shown. Only what follows an opening fence, its language, is not shown.
      if (!/```|~~~/.test(markdown)) {
        const letters = (text: string) => text.replace(/[^ab]/g, "");
        assertEquals(letters(texts.join("")), letters(markdown));
      }
    }),
    { numRuns: rounds(500) },
  );
});

Deno.test("proseMarkdown() of anything has its fences closed, so that what follows is not part of it", () => {
  fc.assert(
    fc.property(pieces, (markdown) => {
      let open = "";
      for (const line of proseMarkdown(markdown).split("\n")) {
        const run = /^(`{3,})(?:[A-Za-z0-9+#_-]*)$/.exec(line)?.[1];
        if (open === "") {
          if (run) open = run;
          else assert(!/^ {0,3}~~~/.test(line), line);
        } else if (line === open) open = "";
        else assert(!(run && run.length >= open.length), line);
      }
      assertEquals(open, "");
      const after = new MarkdownIt().parse(`${proseMarkdown(markdown)}\n\n## after`, {}).slice(-3);
      assertEquals(after.map(({ type, level, content }) => [type, level, content]), [
        ["heading_open", 0, ""],
        ["inline", 1, "after"],
        ["heading_close", 0, ""],
      ]);
    }),
    { numRuns: rounds(500) },
  );
});

Deno.test("proseHtml() and proseMarkdown() take no more than the length of a text", () => {
  const size = 100_000;
  for (
    const text of [
      "`",
      "``` `",
      "` `` ",
      "**",
      "**a ",
      "# #",
      "- \n",
      "a\n- ",
      "\n \n",
      "#",
      "*",
      "<",
      "[",
      "\\",
      "    ",
      "> ",
      "![",
      "[a](",
      "a|b\n-|-\n",
      "http://",
      "1. a\n",
    ]
  ) {
    const long = text.repeat(size / text.length);
    const start = process.cpuUsage();
    proseHtml(long);
    proseMarkdown(long);
    proseHtml(`# ${long}x`);
    const { user, system } = process.cpuUsage(start);
    const ms = (user + system) / 1000; // of this process alone, however busy the machine is
    assert(ms < 10_000, `${JSON.stringify(text)}: ${Math.round(ms)} ms`);
  }
});

Deno.test("fenced() is longer than any run in the text; literal() leaves nothing that Markdown means", () => {
  assertEquals(fenced("a", "js"), "```js\na\n```");
  assertEquals(fenced("```` `\n"), "`````\n```` `\n`````");
  assertEquals(literal("# [a](b) <i> `c`\n1. x\n  - y"), "\\# \\[a\\](b) &lt;i> \\`c\\`\n1\\. x\n  \\- y");
});
