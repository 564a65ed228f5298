import { counted, visibleJson } from "../../core/support/text.ts";
import { diffLines } from "diff";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { escapeHtml, escapeVisible } from "./escape.ts";
import { codeHtml, proseHtml } from "./prose.ts";
import { gistOf, isPicture, type Part } from "../view/transcript.ts";
import { oneLine, visible } from "../view/visible_text.ts";

/** Output of so many lines is shown at once; longer one waits to be opened. */
const OPEN_LINES = 4;

/** A call that writes or runs so many lines is shown at once. */
const OPEN_CALL_LINES = 40;
/** Comparing two long texts that have little in common takes time without end. Milliseconds. */
const DIFF_MS = 100;

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
      const body = callHtml(part.tool, part.args);
      // What a call would change or run is what a reader looks for.
      const isOpen = refused !== "" || body.isTelling && body.html.split("\n").length <= OPEN_CALL_LINES;
      return `<details class="call"${
        isOpen ? " open" : ""
      }><summary>${title}</summary>${body.html}${refused}</details>`;
    }
    case "output": {
      if (part.text.trim() === "") {
        return `<p class="${part.isError ? "bad" : "output"}">${escapeHtml(part.title)}: –</p>`;
      }
      const lines = part.text.trimEnd().split("\n").length;
      const title = `${part.title}, ${counted(lines, "line")}`;
      const isOpen = part.isError || lines <= OPEN_LINES;
      return folded(part.isError ? "bad" : "output", title, `<pre>${escapeHtml(part.text)}</pre>`, isOpen);
    }
    case "image":
      if (!isPicture(part)) return `<p class="bad">A picture that cannot be shown</p>`;
      return `<img alt="picture" src="data:${part.mimeType};base64,${part.data}">`;
  }
}

/** The arguments of a call: what an edit replaces, what a file gets, what a shell runs; of other tools as JSON. */
function callHtml(tool: string, args: JsonObject): { readonly html: string; readonly isTelling: boolean } {
  const { path, edits, content, command } = args;
  const language = typeof path === "string" ? /\.([\w+-]+)$/.exec(path)?.[1] ?? "" : "";
  if (tool === "edit" && Array.isArray(edits)) {
    const diffs = edits.flatMap((edit) => diffHtml(edit) ?? []);
    if (diffs.length === edits.length && hasOnly(args, "path", "edits")) {
      return { html: diffs.join("\n"), isTelling: true };
    }
  }
  if (tool === "write" && typeof content === "string" && hasOnly(args, "path", "content")) {
    return { html: codeHtml(visible(content), language), isTelling: true };
  }
  if (tool === "bash" && typeof command === "string" && hasOnly(args, "command")) {
    return { html: codeHtml(visible(command), "bash"), isTelling: command.includes("\n") || command.length > 120 };
  }
  return { html: `<pre>${escapeVisible(visibleJson(args, 2))}</pre>`, isTelling: false };
}

function hasOnly(args: JsonObject, ...keys: readonly string[]): boolean {
  return Object.keys(args).every((key) => keys.includes(key));
}

/** What one replacement takes away and puts in its place, line by line; undefined for one of another shape. */
function diffHtml(edit: JsonValue): string | undefined {
  if (typeof edit !== "object" || edit === null || Array.isArray(edit)) return undefined;
  const { oldText, newText } = edit as JsonObject; // the check leaves an object, a readonly array aside
  if (
    typeof oldText !== "string" || typeof newText !== "string" || !hasOnly(edit as JsonObject, "oldText", "newText")
  ) {
    return undefined;
  }
  const [before, after] = [visible(oldText), visible(newText)];
  const pieces = diffLines(before, after, { timeout: DIFF_MS }) ??
    [{ value: before, removed: true, added: false }, { value: after, removed: false, added: true }];
  const lines = pieces.flatMap(({ value, added, removed }) => {
    const sign = added ? "+" : removed ? "-" : " ";
    return value.replace(/\n$/, "").split("\n").map((line) => {
      const text = escapeVisible(`${sign}${line}`);
      return added || removed ? `<span class="${added ? "added" : "removed"}">${text}</span>` : text;
    });
  });
  return `<pre class="diff"><code>${lines.join("\n")}</code></pre>`;
}

function folded(className: string, title: string, body: string, isOpen: boolean): string {
  return `<details class="${className}"${isOpen ? " open" : ""}><summary>${
    escapeHtml(title)
  }</summary>${body}</details>`;
}
