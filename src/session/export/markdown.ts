import { factsOf, titleOf } from "../view/facts.ts";
import { isPicture } from "../view/picture.ts";
import { fenced, literal, proseMarkdown } from "./prose_markdown.ts";
import type { Item, Part } from "../view/transcript.ts";
import type { SessionView } from "../view/view.ts";
import { oneLine, utc, visible, visibleJson } from "../view/visible_text.ts";

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
