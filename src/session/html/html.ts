import { createHash } from "node:crypto";
import { factsOf, titleOf } from "../view/facts.ts";
import type { Item } from "../view/transcript.ts";
import type { BranchView, SessionView } from "../view/view.ts";
import { oneLine, utc } from "../view/visible_text.ts";
import { escapeHtml } from "./escape.ts";
import { partHtml } from "./part.ts";
import { STYLE } from "./style.ts";

/** What a browser may load and run: the page's own style and search, known by their digests, and the pictures in it. */
function contentPolicy(): string {
  const [style, script] = [STYLE, SCRIPT].map((text) => createHash("sha256").update(text).digest("base64"));
  return `default-src 'none'; style-src 'sha256-${style}'; script-src 'sha256-${script}'; img-src data:; ` +
    "base-uri 'none'; form-action 'none'";
}

/**
 * A session as one HTML page, piece by piece: nothing from outside, all content escaped, no script but the page's search.
 *
 * No tag and no attribute comes from the session but the data of its pictures and the addresses of links, which are
 * checked. Without the script the whole session is there to read.
 */
export function* htmlPieces(view: SessionView): Generator<string> {
  const title = escapeHtml(titleOf(view));
  const facts = factsOf(view).map(([name, value]) => `<dt>${name}</dt><dd>${escapeHtml(value)}</dd>`).join("");
  yield `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentPolicy()}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<dl>${facts}</dl>
</header>
`;
  yield* contents(view);
  yield "<main>\n";
  let number = 0;
  for (const [index, branch] of view.branches.entries()) {
    yield branchStart(branch, index);
    for (const item of branch.items) yield itemHtml(item, ++number);
    if (index > 0) yield "</section>\n";
  }
  yield `</main>\n<script>${SCRIPT}</script>\n</body>\n</html>\n`;
}

/** Search, and what the user said as links within the page; their targets are numbers, ids of entries may be anything. */
function* contents({ branches }: SessionView): Generator<string> {
  const items = branches.flatMap((branch) => branch.items);
  yield `<nav>
<input id="search" type="search" placeholder="Search" aria-label="Search" hidden><output id="found"></output>
<details open><summary>Prompts</summary><ol>
`;
  for (const [at, item] of items.entries()) {
    if (item.kind !== "user") continue;
    const text = item.parts.map((part) => part.kind === "plain" ? part.text : "").join(" ");
    yield `<li><a href="#m${at + 1}">${escapeHtml(oneLine(text, 100) || "(no text)")}</a></li>\n`;
  }
  yield "</ol></details>\n</nav>\n";
}

function branchStart({ from }: BranchView, index: number): string {
  if (index === 0) return "";
  const where = from === undefined ? "Another beginning" : `Branch that continues ${from}`;
  return `<section class="branch">\n<h2>${escapeHtml(where)}</h2>\n`;
}

function itemHtml(item: Item, number: number): string {
  const label = item.label === undefined ? "" : `<span class="label">${escapeHtml(oneLine(item.label, 100))}</span>`;
  const heading = escapeHtml(oneLine(item.title, 200));
  const time = `<time>${escapeHtml(utc(item.timestamp))}</time>`;
  const body = item.parts.map(partHtml).join("\n");
  if (item.isRuntime) {
    return `<details class="runtime" id="m${number}"><summary>${heading}${time}${label}</summary>${body}</details>\n`;
  }
  return `<article class="${item.kind}" id="m${number}">
<h2>${heading}${time}${label}</h2>
${body}
</article>
`;
}

/**
 * The search of an exported page: hides what does not contain the words, and opens what is folded around them.
 *
 * It reads the text of the page and writes attributes of its own elements; it makes no element of any text.
 */
export const SCRIPT = `
const search = document.getElementById("search"), found = document.getElementById("found");
const items = [...document.querySelectorAll("main > article, main > details, main > section > *")];
const texts = items.map((item) => item.textContent.toLowerCase());
const folded = [...document.querySelectorAll("main details")].map((one) => [one, one.open, one.textContent.toLowerCase()]);
let waiting;
const look = () => {
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
  const has = (text) => words.every((word) => text.includes(word));
  let count = 0;
  items.forEach((item, at) => { const hit = has(texts[at]); item.hidden = !hit; if (hit) count++; });
  for (const [one, open, text] of folded) one.open = open || (words.length > 0 && has(text));
  found.value = words.length ? count + " of " + items.length : "";
};
search.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(look, 120); });
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== search) { event.preventDefault(); search.focus(); }
  if (event.key === "Escape" && document.activeElement === search) { search.value = ""; look(); search.blur(); }
});
search.hidden = false;
`;
