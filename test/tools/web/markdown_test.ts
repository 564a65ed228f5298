import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { decodeText } from "../../../tools/web/charset.ts";
import { toMarkdown } from "../../../tools/web/markdown.ts";

const URL = "https://a.example/docs/page";
const page = (body: string): string => toMarkdown(`<!doctype html><html><body>${body}</body></html>`, URL);

const CASES = [
  {
    name: "headings, paragraphs, emphasis",
    html: "<h2>One</h2><p>a <b>b</b> <em>c</em></p>",
    text: "## One\n\na **b** *c*",
  },
  { name: "links, made absolute", html: '<a href="../x?y=1">to x</a>', text: "[to x](https://a.example/x?y=1)" },
  { name: "no links that run or stay", html: '<a href="javascript:f()">a</a> <a href="#b">b</a>', text: "a b" },
  { name: "lists", html: "<ul><li>a</li><li>b</li></ul>", text: "-   a\n-   b" },
  { name: "code", html: '<pre><code class="language-ts">let a = 1;\n</code></pre>', text: "```ts\nlet a = 1;\n```" },
  {
    name: "tables",
    html:
      "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1|2</td><td>3<br>4</td></tr></tbody></table>",
    text: "| a | b |\n| --- | --- |\n| 1\\|2 | 3 4 |",
  },
  {
    name: "pictures by their words alone",
    html: '<img src="a.png" alt="A cat"><img src="b.png">',
    text: "[image: A cat]",
  },
  {
    name: "nothing that a reader does not see",
    html: '<script>1</script><style>a{}</style><p>seen</p><p hidden>1</p><div style="display: none">2</div>' +
      '<span aria-hidden="true">3</span><noscript>4</noscript><template>5</template>',
    text: "seen",
  },
] as const;

for (const { name, html, text } of CASES) {
  Deno.test(`toMarkdown() gives ${name}`, () => assertEquals(page(html), text));
}

Deno.test("toMarkdown() gives the title and the main part, where that is most of the page", () => {
  const html =
    `<html><head><title>A &amp; B</title></head><body><nav>menu</nav><main><p>${"text ".repeat(20)}</p></main>` +
    "<footer>foot</footer></body></html>";
  assertEquals(toMarkdown(html, URL), `# A & B\n\n${"text ".repeat(20).trim()}`);
  assertStringIncludes(toMarkdown(`<main></main><p>${"text ".repeat(40)}</p>`, URL), "text text");
});

Deno.test("toMarkdown() gives a text for pages that no parser is made for", () => {
  const deep = "<div>".repeat(50_000) + "deep";
  assertStringIncludes(toMarkdown(deep, URL), "deep");
  for (const html of ["", "<", "<p", "</p></p>", "<table><tr><tr><td>", "\u0000<p>a"]) {
    assertEquals(typeof toMarkdown(html, URL), "string");
  }
});

const BYTES = [
  { name: "the header", bytes: [0xe4], type: "text/plain; charset=iso-8859-1", text: "ä" },
  {
    name: "what a page says",
    bytes: [...'<meta charset="windows-1251">'].map((c) => c.charCodeAt(0)).concat(0xc0),
    type: "text/html",
    text: '<meta charset="windows-1251">А',
  },
  { name: "a mark before anything else", bytes: [0xff, 0xfe, 0x61, 0], type: "text/plain; charset=utf-8", text: "a" },
  { name: "UTF-8 without a word", bytes: [0xc3, 0xa4], type: "", text: "ä" },
  { name: "UTF-8 for what nobody knows", bytes: [0xc3, 0xa4], type: "text/plain; charset=klingon", text: "ä" },
  { name: "Japanese", bytes: [0x83, 0x65], type: 'text/html; charset="Shift_JIS"', text: "テ" },
] as const;

for (const { name, bytes, type, text } of BYTES) {
  Deno.test(`decodeText() goes by ${name}`, () => assert(decodeText(new Uint8Array(bytes), type) === text));
}
