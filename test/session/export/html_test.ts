import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { createHash } from "node:crypto";
import { htmlPieces } from "../../../src/session/export/html.ts";
import { inWorld, reply, said, user } from "../world.ts";
import { createSession } from "../../../src/session/store.ts";
import { readPage } from "./read_html.ts";
import { everyKind, PIXEL, viewOf } from "./sample.ts";

const HOSTILE = [
  ["a script's end", `</script><script>alert(1)</script>`],
  ["an element with a handler", `<img src=x onerror=alert(1)>`],
  ["a link that runs", `[x](javascript:alert(1)) <a href="javascript:alert(1)">x</a> ![x](http://example.com/x)`],
  ["what ends attributes", `" onclick="alert(1)" x='y' '>"><b>`],
  ["what ends the style, the title and a comment", `</style></title>--><!-- ]]>`],
  ["entities", `&lt;script&gt; &#60;b&#62; &amp &`],
  ["control characters", `a\x00b\x1b[31mc\x1b]8;;http://example.com\x07d\x9b2Je\x7ff\x08`],
  ["what turns the direction", `a‮b⁦c⁩d`],
  ["half of a pair", `a\ud800b`],
  ["code that is no code", "`<b>` **<b>** \\`<b>`"],
  ["a closed tag in a list item's place", "x\u2028<b>\u2029y"],
] as const;

/** What a class, an anchor and an address may be; everything else in a page is fixed. */
const ALLOWED = [
  /^\/?(?:html|head|body|title|style|header|h[1-6]|dl|dt|dd|nav|ul|li|main|article|section|details|summary|div|p|pre|code|strong|time|span)$/,
  /^html lang="en"$/,
  /^meta [a-z-]+="[^"]*"(?: content="[^"]*")?$/,
  /^(?:article|section|details|div|p|span|li) class="[a-z0-9]+"(?: id="m\d+"| open)?$/,
  /^a href="#m\d+"$/,
  /^\/a$/,
  new RegExp(`^img alt="picture" src="data:image/png;base64,${PIXEL.replace(/[+/]/g, "\\$&")}"$`),
];

const html = (path: string, all = false): string => [...htmlPieces(viewOf(path, all))].join("");

for (const [name, text] of HOSTILE) {
  Deno.test(`htmlPieces() of ${name} has the elements of any other text and no more`, () => {
    inWorld((world) => {
      const plain = readPage(html(everyKind(world, "x"), true));
      const hostile = readPage(html(everyKind(world, text), true));
      // Bold and code are ours, wherever the text asks for them.
      const ours = (tags: readonly string[]) => tags.filter((tag) => !/^\/?(?:strong|code)$/.test(tag));
      assertEquals(ours(hostile.tags), ours(plain.tags));
      for (const tag of hostile.tags) assert(ALLOWED.some((form) => form.test(tag)), tag);
      // deno-lint-ignore no-control-regex -- they are what must not be there
      assertEquals(hostile.texts.join("").match(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g), null);
      assert(hostile.texts.join("").isWellFormed());
    });
  });
}

Deno.test("the reader of pages that these tests rely on takes no tag, attribute or entity of another form", () => {
  for (const bad of ["<b onclick=x></b>", "<!-- x -->", "<B></B>", "a > b", "&nbsp;", '<p class="a"', "<p>", "</p>"]) {
    assertThrows(() => readPage(`<!DOCTYPE html>\n${bad}`), Error, "");
  }
});

Deno.test("htmlPieces() has the whole text of every message, and of what a compaction stands for R300", () => {
  inWorld((world) => {
    const session = createSession({ cwd: "/w", folder: world.folder }, world);
    const first = session.append(said(user("first <question>")));
    session.append(said(reply("a reply with `code<T>` & more")));
    session.append({ type: "compaction", summary: "in short", firstKeptEntryId: first.id, tokensBefore: 5 });
    session.append(said(user("second")));
    session.close();
    const { texts } = readPage(html(session.path!));
    for (const text of ["first <question>", "code<T>", "Compaction: stands for what is above, 5 tokens", "second"]) {
      assert(texts.some((one) => one.includes(text)), text);
    }
  });
});

Deno.test("htmlPieces() forbids everything but its own style and the pictures in it", () => {
  inWorld((world) => {
    const page = html(everyKind(world, "x"));
    const style = /<style>([^]*?)<\/style>/.exec(page)?.[1] ?? "";
    const digest = createHash("sha256").update(style).digest("base64");
    const policy =
      `default-src 'none'; style-src 'sha256-${digest}'; img-src data:; base-uri 'none'; form-action 'none'`;
    assertStringIncludes(page, `<meta http-equiv="Content-Security-Policy" content="${policy}">`);
    assert(page.indexOf("Content-Security-Policy") < page.indexOf("<style>"));
    assert(!/https?:|url\(|@import|<script|<link|<iframe| style=/.test(page));
    for (const wanted of ["prefers-color-scheme: dark", "@media print", "<details"]) assertStringIncludes(page, wanted);
  });
});

Deno.test("htmlPieces() leaves other branches out unless they are asked for, and says so", () => {
  inWorld((world) => {
    const path = everyKind(world, "x");
    const [one, all] = [readPage(html(path)), readPage(html(path, true))];
    assert(one.texts.includes("1 other branch") && !one.texts.includes("left x"));
    assert(!all.texts.includes("1 other branch") && all.texts.includes("left x"));
  });
});

Deno.test("htmlPieces() shows pictures of four formats whose data is base64, and no other", () => {
  const cases = [
    ["image/png", PIXEL, true],
    ["image/svg+xml", PIXEL, false],
    ["image/png", `${PIXEL}" onerror="x`, false],
    ["text/html", PIXEL, false],
    ["image/png", "", false],
  ] as const;
  for (const [mimeType, data, isShown] of cases) {
    inWorld((world) => {
      const session = createSession({ cwd: "/w", folder: world.folder }, world);
      session.append({ type: "message", message: { ...user(""), content: [{ type: "image", mimeType, data }] } });
      session.close();
      const { tags } = readPage(html(session.path!));
      assertEquals(tags.some((tag) => tag.startsWith("img")), isShown, `${mimeType} ${data.slice(-12)}`);
    });
  }
});
