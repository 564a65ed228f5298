import { visibleJson } from "../../core/support/text.ts";
import MarkdownIt, { type Token } from "markdown-it";
import { factsOf, titleOf } from "../view/facts.ts";
import { isPicture, type Item, type Part } from "../view/transcript.ts";
import type { SessionView } from "../view/view.ts";
import { oneLine, utc, visible } from "../view/visible_text.ts";

/** A session as Markdown, piece by piece: what was said in it cannot close a fence, make a link or a heading of ours. */
export function* markdownPieces(view: SessionView): Generator<string> {
  yield `# ${literal(titleOf(view))}\n\n`;
  for (const [name, value] of factsOf(view)) yield `- ${name}: ${literal(value)}\n`;
  for (const [index, { from, items }] of view.branches.entries()) {
    if (index > 0) {
      yield `\n---\n\n# ${
        from === undefined ? "Another beginning" : `Branch that continues ${literal(oneLine(from, 80))}`
      }\n`;
    }
    for (const item of items) yield itemMarkdown(item);
  }
}

function itemMarkdown({ title, timestamp, label, parts }: Item): string {
  const name = label === undefined ? "" : ` [${oneLine(label, 100)}]`;
  const heading = `## ${literal(`${oneLine(title, 200)}${name}, ${utc(timestamp)}`)}`;
  return `\n${[heading, ...parts.map(partMarkdown)].filter((text) => text !== "").join("\n\n")}\n`;
}

function partMarkdown(part: Part): string {
  switch (part.kind) {
    case "prose":
      return proseMarkdown(part.text);
    case "plain":
      return part.text === "" ? "" : fenced(visible(part.text), "text");
    case "thinking":
      return `Thinking:\n\n${fenced(visible(part.text), "text")}`;
    case "call": {
      const refused = part.refused === undefined ? "" : `\n\nRefused: ${literal(visible(part.refused))}`;
      const args = fenced(visibleJson(part.args, 2), "json");
      return `Call of ${literal(oneLine(part.tool, 80))}:\n\n${args}${refused}`;
    }
    case "output": {
      const text = visible(part.text).trimEnd();
      return text === "" ? `${literal(part.title)}: –` : `${literal(part.title)}:\n\n${fenced(text, "text")}`;
    }
    case "image":
      return isPicture(part) ? `(a picture, ${part.mimeType})` : "(a picture that cannot be shown)";
  }
}

/** What exports show as more than text; everything else, links, quotations and tables among it, stays text. */
const parser = new MarkdownIt("zero").enable(["fence", "heading", "list", "backticks", "emphasis"]);

/** Longer text is shown as it was written. UTF-16 units. */
const MOST_UNITS = 200_000;

/** What stands in a block that is still open, and how its parts are joined when it ends. */
interface OpenBlock {
  readonly token: Token;
  readonly parts: string[];
}

/**
 * A model's Markdown, written anew so that it cannot reach beyond its place: fences are closed, tags are text, links and
 * pictures are shown and not followed. Headings begin at level 3.
 */
export function proseMarkdown(markdown: string): string {
  const shown = visible(markdown);
  if (shown.length > MOST_UNITS) return fenced(shown);
  const whole: string[] = [];
  const open: OpenBlock[] = [];
  for (const token of parser.parse(shown, {})) {
    const parts = open.at(-1)?.parts ?? whole;
    if (token.nesting === 1) open.push({ token, parts: [] });
    else if (token.nesting === -1) (open.at(-2)?.parts ?? whole).push(closed(open.pop()));
    else if (token.type === "fence") parts.push(fenced(token.content, languageOf(token.info)));
    else parts.push(inline(token.children ?? []));
  }
  return whole.map((block) => block.trimEnd()).join("\n\n");
}

/** A block that has ended as Markdown. */
function closed(block: OpenBlock | undefined): string {
  if (!block) return "";
  const { token, parts } = block;
  switch (token.type) {
    case "heading_open":
      return `${"#".repeat(Math.min(Number(token.tag.slice(1)) + 2, 6))} ${parts.join("")}`;
    case "list_item_open": {
      const marker = token.info === "" ? "-" : `${token.info}${token.markup}`;
      return `${marker} ${parts.join("\n").replace(/\n(?!\n|$)/g, `\n${" ".repeat(marker.length + 1)}`)}`;
    }
    default:
      // Between the blocks of a list's item stands a blank line where one stood before.
      return `${parts.join("\n")}${token.type === "paragraph_open" && token.level > 0 && !token.hidden ? "\n" : ""}`;
  }
}

/** What some viewers of Markdown draw, and run code of theirs for, in place of showing it. */
const DRAWN = /^(?:mermaid|math|geojson|topojson|stl|plantuml|puml|dot|graphviz|vega(?:-lite)?|svg)$/i;

/** One plain word, or nothing. */
function languageOf(info: string): string {
  const word = info.trim();
  return /^[A-Za-z0-9+#_-]{1,20}$/.test(word) && !DRAWN.test(word) ? word : "";
}

/** A text in a fence that is longer than any run of backticks in it. */
export function fenced(text: string, language = ""): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${fence}`;
}

/** A text in which nothing is Markdown any more but emphasis, which does no harm. */
export function literal(text: string): string {
  return text
    .replace(/\\/g, "\\\\")
    .replace(/[`[\]]/g, "\\$&") // links, pictures and their definitions
    .replace(/&/g, "&amp;").replace(/</g, "&lt;")
    // What would make a heading, a quotation, a list, a rule, a fence or a table of a line.
    .replace(/^([ \t]{0,12})([#>=~|+*-])/gm, "$1\\$2")
    .replace(/^([ \t]{0,12}\d{1,9})([.)])/gm, "$1\\$2");
}

function inline(tokens: readonly Token[]): string {
  return tokens.map(({ type, content, markup }) => {
    if (type === "text") return literal(content);
    if (type === "softbreak") return "\n";
    return type === "code_inline" ? codeSpan(content) : markup; // of emphasis
  }).join("");
}

/** Code within a line: on one line, for a blank line would end it, between runs longer than any in it. */
function codeSpan(code: string): string {
  const line = code.split("\n").map((part) => part.trim()).join(" ");
  const longest = (line.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const run = "`".repeat(longest + 1);
  const pad = /^[` ]|[` ]$/.test(line) ? " " : "";
  return line.trim() === "" ? literal(line) : `${run}${pad}${line}${pad}${run}`;
}
