import { escapeHtml } from "./escape_html.ts";
import { isPicture } from "./picture.ts";
import { proseHtml } from "./prose_html.ts";
import { gistOf, type Part } from "./transcript.ts";
import { oneLine, visibleJson } from "./visible_text.ts";

/** Output of so many lines is shown at once; longer one waits to be opened. */
const OPEN_LINES = 4;

/** A piece of an item as HTML. */
export function partHtml(part: Part): string {
  switch (part.kind) {
    case "prose":
      return proseHtml(part.text);
    case "plain":
      return `<div class="plain">${escapeHtml(part.text)}</div>`;
    case "thinking":
      return folded("thinking", "Thinking", `<div class="plain">${escapeHtml(part.text)}</div>`, false);
    case "call": {
      const gist = oneLine(gistOf(part.args), 120);
      const title = `<strong>${escapeHtml(oneLine(part.tool, 80))}</strong> ${escapeHtml(gist)}`;
      const refused = part.refused === undefined ? "" : `<p class="bad">Refused: ${escapeHtml(part.refused)}</p>`;
      const body = `<pre>${escapeHtml(visibleJson(part.args, 2))}</pre>${refused}`;
      return `<details class="call"${refused === "" ? "" : " open"}><summary>${title}</summary>${body}</details>`;
    }
    case "output": {
      if (part.text.trim() === "") {
        return `<p class="${part.isError ? "bad" : "output"}">${escapeHtml(part.title)}: –</p>`;
      }
      const lines = part.text.trimEnd().split("\n").length;
      const title = `${part.title}, ${lines === 1 ? "1 line" : `${lines} lines`}`;
      const isOpen = part.isError || lines <= OPEN_LINES;
      return folded(part.isError ? "bad" : "output", title, `<pre>${escapeHtml(part.text)}</pre>`, isOpen);
    }
    case "image":
      if (!isPicture(part)) return `<p class="bad">A picture that cannot be shown</p>`;
      return `<img alt="picture" src="data:${part.mimeType};base64,${part.data}">`;
  }
}

function folded(className: string, title: string, body: string, isOpen: boolean): string {
  return `<details class="${className}"${isOpen ? " open" : ""}><summary>${
    escapeHtml(title)
  }</summary>${body}</details>`;
}
