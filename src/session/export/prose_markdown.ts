import { markdownBlocks } from "./markdown_blocks.ts";
import { markdownSpans } from "./markdown_inline.ts";
import { visible } from "../view/visible_text.ts";

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
