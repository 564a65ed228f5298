import { visibleJson } from "../../core/support/text.ts";
import { factsOf } from "../view/facts.ts";
import type { Item, Part } from "../view/transcript.ts";
import type { SessionView } from "../view/view.ts";
import { oneLine, utc, visible } from "../view/visible_text.ts";

/**
 * A session as plain text for a terminal, piece by piece.
 *
 * What was said is indented, so that it cannot pass for a line of ours, and steers no terminal.
 */
export function* textPieces(view: SessionView): Generator<string> {
  for (const [name, value] of factsOf(view)) yield `${name.padEnd(12)}${value}\n`;
  for (const [index, { from, items }] of view.branches.entries()) {
    if (index > 0) {
      yield `\n${from === undefined ? "Another beginning" : `Branch that continues ${oneLine(from, 80)}`}\n`;
    }
    for (const item of items) yield itemText(item);
  }
}

function itemText({ entryId, title, timestamp, label, parts }: Item): string {
  const name = label === undefined ? "" : `  [${oneLine(label, 100)}]`;
  const body = parts.map(partText).filter((text) => text.trim() !== "").map(indented);
  return `\n${oneLine(entryId, 40)}  ${oneLine(title, 200)}  ${utc(timestamp)}${name}\n${body.join("")}`;
}

function partText(part: Part): string {
  switch (part.kind) {
    case "prose":
    case "plain":
      return part.text;
    case "thinking":
      return `(thinking) ${part.text}`;
    case "call":
      return `> ${part.tool} ${visibleJson(part.args)}${
        part.refused === undefined ? "" : `\nrefused: ${part.refused}`
      }`;
    case "output":
      return part.title === "Output" ? part.text : `${part.title}${part.text === "" ? "" : `:\n${part.text}`}`;
    case "image":
      return "(a picture)";
  }
}

function indented(text: string): string {
  return visible(text).trimEnd().split("\n").map((line) => line === "" ? "\n" : `  ${line}\n`).join("");
}
