import MarkdownIt from "markdown-it";
import { FilterXSS } from "xss";
import { escapeVisible } from "./escape.ts";
import { highlightHtml } from "./highlight.ts";
import { visible } from "../view/visible_text.ts";

/** Longer text is shown as it was written. UTF-16 units. */
const MOST_UNITS = 200_000;

/** Addresses that a reader may follow. */
const ADDRESS = /^(?:https?:\/\/|mailto:)[^\s"'<>]+$/i;

const markdown = new MarkdownIt({
  html: false, // a tag in the text is text
  linkify: true,
  breaks: true,
  highlight: codeHtml,
});
markdown.validateLink = (address) => ADDRESS.test(address);
// A page that loads a picture tells its server who reads it: what was written for one is a link. The definition of a link
// would not be shown where it stands.
markdown.disable(["image", "reference"]);
// Names of files are no addresses, though `.md` and `.rs` are domains.
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });

const { rules } = markdown.renderer;
rules.heading_open = rules.heading_close = (tokens, at) => {
  const { tag = "", nesting = 0 } = tokens[at] ?? {};
  // The page's own headings are h1 and h2.
  const level = Math.min(Number(tag.slice(1)) + 2, 6);
  return nesting === 1 ? `<h${level}>` : `</h${level}>\n`;
};
// Where a link leads is shown, so that its text cannot say otherwise.
rules.link_close = (tokens, at) => {
  let from = at - 1;
  while (from > 0 && tokens[from]?.type !== "link_open") from--;
  const address = String(tokens[from]?.attrGet("href") ?? "");
  const text = tokens.slice(from + 1, at).map(({ content }) => content).join("");
  return text === address || `mailto:${text}` === address || address.endsWith(`://${text}`)
    ? "</a>"
    : `</a> <span class="address">(${escapeVisible(visible(address))})</span>`;
};

rules.link_open = (tokens, at) =>
  `<a href="${escapeVisible(String(tokens[at]?.attrGet("href") ?? ""))}" rel="noopener noreferrer">`;
rules.th_open = (tokens, at) => cell("th", String(tokens[at]?.attrGet("style")));
rules.td_open = (tokens, at) => cell("td", String(tokens[at]?.attrGet("style")));

/** The page's policy allows no styles on elements. */
function cell(tag: string, style: string): string {
  const align = /^text-align:(center|right)$/.exec(style)?.[1];
  return align === undefined ? `<${tag}>` : `<${tag} class="${align}">`;
}

/** Every tag and attribute that Markdown may become. */
const TAGS = {
  ...Object.fromEntries(
    "p h3 h4 h5 h6 ul li pre code strong em s blockquote table thead tbody tr hr br".split(" ").map((tag) => [tag, []]),
  ),
  ol: ["start"],
  th: ["class"],
  td: ["class"],
  span: ["class"],
  a: ["href", "rel"],
};

/** What the renderer makes is harmless by itself; whatever a fault of it let through ends here. */
const sieve = new FilterXSS({
  whiteList: TAGS,
  css: false,
  allowCommentTag: false,
  safeAttrValue: (_tag, name, value) => {
    if (name === "href") return ADDRESS.test(value.replaceAll("&amp;", "&")) ? value : "";
    if (name === "class") return /^[\w -]+$/.test(value) ? value : "";
    if (name === "start") return /^\d+$/.test(value) ? value : "";
    return name === "rel" ? "noopener noreferrer" : "";
  },
});

/**
 * A model's Markdown as HTML.
 *
 * No tag and no attribute comes from the text but the address of a link, which is http, https or mailto and shown beside
 * it. Takes time in proportion to the text's length, whatever the text.
 */
export function proseHtml(text: string): string {
  const shown = visible(text);
  if (shown.length > MOST_UNITS) return `<div class="plain">${escapeVisible(shown)}</div>`;
  return sieve.process(markdown.render(shown)).trimEnd();
}

/** Code in a box of its own; `code` is visible text. */
export function codeHtml(code: string, language: string): string {
  return `<pre><code>${highlightHtml(code, language)}</code></pre>`;
}
