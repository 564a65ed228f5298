import { factsOf, titleOf } from "../view/facts.ts";
import { isPicture } from "../view/picture.ts";
import type { Item, Part } from "../view/transcript.ts";
import type { SessionView } from "../view/view.ts";
import { oneLine, utc, visible, visibleJson } from "../view/visible_text.ts";
import { markdownBlocks } from "./markdown_blocks.ts";
import { markdownSpans } from "./markdown_inline.ts";

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

/**
 * A model's Markdown, written anew so that it cannot reach beyond its place: fences are closed, tags are text, links and
 * pictures are shown and not followed. Headings begin at level 3.
 */
export function proseMarkdown(markdown: string): string {
  return markdownBlocks(visible(markdown)).map((block) => {
    switch (block.kind) {
      case "code":
        return fenced(block.text, block.language);
      case "heading":
        return `${"#".repeat(Math.min(block.level + 2, 6))} ${inline(block.text)}`;
      case "list":
        return block.items.map(({ marker, depth, text }) => {
          const indent = "  ".repeat(depth);
          return `${indent}${marker} ${inline(text).replace(/\n/g, `\n${indent}${" ".repeat(marker.length + 1)}`)}`;
        }).join("\n");
      case "paragraph":
        return inline(block.text);
    }
  }).join("\n\n");
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

function inline(text: string): string {
  return markdownSpans(text).map(({ kind, text }) => {
    if (kind === "text") return literal(text);
    return kind === "bold" ? `**${literal(text)}**` : codeSpan(text);
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
