import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { createHash } from "node:crypto";
import { htmlPieces } from "../../../src/session/html/html.ts";
import { inWorld, reply, said, user, type World } from "../world.ts";
import { createSession } from "../../../src/session/store.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { loadSession } from "../../../src/session/load.ts";
import { treeLines } from "../../../src/session/export/tree_text.ts";
import { type Page, readPage } from "../export/read_html.ts";
import { everyKind, PIXEL, viewOf } from "../export/sample.ts";

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
  /^\/?(?:html|head|body|title|style|script|header|h[1-6]|dl|dt|dd|nav|ul|ol|li|main|article|section|details|summary|div|p|pre|code|strong|em|del|time|span|output|blockquote|table|thead|tbody|tr|th|td|hr|br)$/,
  /^html lang="en"$/,
  /^meta [a-z-]+="[^"]*"(?: content="[^"]*")?$/,
  /^(?:article|section|details|div|p|span|li|pre) class="[a-z0-9_ -]+"(?: id="m\d+"| open)?$/,
  /^details open$/,
  /^input id="search" type="search" placeholder="Search" aria-label="Search" hidden$/,
  /^output id="found"$/,
  /^ol start="\d+"$/,
  /^a href="#m\d+"$/,
  /^a href="(?:https?:\/\/|mailto:)[^"\s]+" rel="noopener noreferrer"$/,
  /^\/a$/,
  new RegExp(`^img alt="picture" src="data:image/png;base64,${PIXEL.replace(/[+/]/g, "\\$&")}"$`),
];

const html = (path: string, all = false): string => [...htmlPieces(viewOf(path, all))].join("");

for (const [name, text] of HOSTILE) {
  Deno.test(`htmlPieces() of ${name} has elements of ours and no others`, () => {
    inWorld((world) => {
      const hostile = readPage(html(everyKind(world, text), true));
      assertEquals(hostile.tags.filter((tag) => tag === "script" || tag === "style"), ["style", "script"]);
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
    for (
      const text of [
        "first <question>",
        "code<T>",
        "Compaction of the conversation above: about 5 tokens before",
        "second",
      ]
    ) {
      assert(texts.some((one) => one.includes(text)), text);
    }
  });
});

Deno.test("htmlPieces() forbids everything but its own style, its own search and the pictures in it", () => {
  inWorld((world) => {
    const page = html(everyKind(world, "x"));
    const digest = (tag: string): string => {
      const text = new RegExp(`<${tag}>([^]*?)</${tag}>`).exec(page)?.[1] ?? "";
      assert(text.length > 100, tag);
      return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    };
    const policy = `default-src 'none'; style-src ${digest("style")}; script-src ${
      digest("script")
    }; img-src data:; base-uri 'none'; form-action 'none'`;
    assertStringIncludes(page, `<meta http-equiv="Content-Security-Policy" content="${policy}">`);
    assert(page.indexOf("Content-Security-Policy") < page.indexOf("<style>"));
    assert(!/https?:|url\(|@import|<script [^>]|<link|<iframe| style=|innerHTML|insertAdjacent|eval\(/.test(page));
    assertEquals([...page.matchAll(/<(?:style|script)\b/g)].length, 2);
    for (const wanted of ["prefers-color-scheme: dark", "@media print", "<details"]) assertStringIncludes(page, wanted);
  });
});

/** A session in which one call is made. */
function pageOfCall(world: World, name: string, args: JsonObject): Page {
  const session = createSession({ cwd: "/w", folder: world.folder }, world);
  const content = [{ type: "toolCall", id: "c1", name, arguments: args }] as const;
  session.append(said({ ...reply(""), content: [...content], stopReason: "toolUse" }));
  session.close();
  return readPage(html(session.path!));
}

Deno.test("htmlPieces() shows an edit as the lines that go and come, a file with colours, a script as it ran", () => {
  const edit = { path: "a.ts", edits: [{ oldText: "const a = 1;\nkeep();", newText: "const <b> = 2;\nkeep();" }] };
  inWorld((world) => {
    const { tags, texts } = pageOfCall(world, "edit", edit);
    const at = tags.indexOf('span class="removed"');
    assertEquals([texts.includes("-const a = 1;"), texts.includes("+const <b> = 2;")], [true, true]);
    assert(at > 0 && tags.indexOf('span class="added"') > at);
    assert(texts.some((text) => text.includes(" keep();")));
  });
  inWorld((world) => {
    const { tags, texts } = pageOfCall(world, "write", { path: "a.ts", content: "const a = '<b>';\n" });
    assert(tags.includes('span class="hljs-keyword"'), tags.join());
    assert(texts.includes("'<b>'"));
  });
  inWorld((world) => {
    const { tags, texts } = pageOfCall(world, "bash", {
      command: "cat <<'EOF' > a\n<b>\nEOF\nif true; then echo $HOME; fi",
    });
    assert(tags.includes('details class="call" open'));
    assert(texts.join("").includes("<b>"));
  });
  // What is none of these, or more than these, is shown whole.
  for (
    const args of [{ path: "a", edits: [{ oldText: "x" }] }, { path: "a", edits: "all" }, { ...edit, more: "MORE" }]
  ) {
    inWorld((world) => {
      const { texts } = pageOfCall(world, "edit", args);
      assertEquals(JSON.parse(JSON.stringify(args)), JSON.parse(jsonIn(texts)));
    });
  }
});

/** The arguments of a call that is shown as JSON, colours left out. */
function jsonIn(texts: readonly string[]): string {
  const all = texts.join("");
  return all.slice(all.indexOf("{"), all.lastIndexOf("}") + 1);
}

Deno.test("htmlPieces() folds what this program told the model, and a tree leaves it out", () => {
  inWorld((world) => {
    const session = createSession({ cwd: "/w", folder: world.folder }, world);
    session.append(said(user("first")));
    session.append({ type: "custom_message", customType: "runtime_metadata", content: "THE-TIME", display: false });
    session.append({ type: "custom_message", customType: "notes", content: "OF-AN-EXTENSION", display: false });
    session.append(said(reply("second")));
    session.close();
    const { tags, texts } = readPage(html(session.path!));
    assertEquals(tags.filter((tag) => tag.startsWith('details class="runtime"')), ['details class="runtime" id="m2"']);
    assert(texts.includes("THE-TIME") && texts.includes("OF-AN-EXTENSION"));
    const tree = [...treeLines(loadSession(session.path!).entries)];
    assertEquals(tree.length, 3);
    assert(!tree.join("").includes("THE-TIME"));
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
