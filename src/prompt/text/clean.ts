import { neutralise, stripControls } from "../../core/support/text.ts";

// Looked for first: nearly every text is clean, and looking is ten times cheaper than rewriting.
// deno-lint-ignore no-control-regex
const UNCLEAN = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;

/**
 * A text as it may stand in a prompt: line ends are LF, nothing steers a terminal or reads differently from what it is,
 * nothing passes for the boundary, no space around it (R29, R38).
 */
export function clean(text: string): string {
  return neutralise(UNCLEAN.test(text) ? stripControls(text) : text).trim();
}

const RUN = /[^\S ]| {2}/;
/** Printable ASCII with single spaces between its words, as nearly every name and description is. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/;

/** A text on one line: every run of white space becomes one space (R64). */
export function oneLine(text: string): string {
  if (PLAIN.test(text)) return neutralise(text);
  const tidy = clean(text);
  return RUN.test(tidy) ? tidy.replace(/\s+/g, " ") : tidy;
}

// deno-lint-ignore no-control-regex
const HIDDEN = /[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

/** A path on one line that can still be told from others: line ends and other controls show as escapes. */
export function visiblePath(path: string): string {
  const shown = HIDDEN.test(path) ? path.replace(new RegExp(HIDDEN, "g"), escapeControl) : path;
  return neutralise(shown);
}

function escapeControl(char: string): string {
  return char === "\n" ? "\\n" : `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
