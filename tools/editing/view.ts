// Old text is not looked for in the raw file but in a view of it: with one kind of line end, and with controls as `read`
// shows them. A view knows where each of its units comes from, so a replacement touches the matched part of the file alone.
// A third view, in which look-alikes are the same, only finds what to show where the text itself is not there.
import { visibleControls } from "../text/visible_controls.ts";

/** A character and its marks are one thing: composed or not, they compare equal. */
const CLUSTER = /[\u1100-\u11ff]+|[^\p{M}]\p{M}*|\p{M}+/gsu;

const PLAIN = /^[ -~\t]*$/;

/** A tidied text that knows its origin. */
export interface View {
  readonly text: string;
  /** Where the unit at `index` (or the end) starts in the raw text; undefined inside of what was one character there. */
  origin(index: number): number | undefined;
}

/** The text with every line end as LF. */
export function tidyLineEnds(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

/** View of a raw text with every line end as LF. */
export function lineEndView(raw: string): View {
  if (!raw.includes("\r")) return { text: raw, origin: (index) => index };
  const text = tidyLineEnds(raw);
  // Indices in the view of those newlines that are two units in the raw text.
  const pairs: number[] = [];
  for (let at = raw.indexOf("\r\n"); at !== -1; at = raw.indexOf("\r\n", at + 2)) pairs.push(at - pairs.length);
  return { text, origin: (index) => index + countBelow(pairs, index) };
}

/** A text as `shownView` sees it. */
export function tidyShown(text: string): string {
  return visibleControls(tidyLineEnds(text).replaceAll("\u240d", "\n"));
}

/** View of a raw text as `read` shows it: controls as symbols, and a lone carriage return as the line end that it is. */
export function shownView(raw: string): View {
  return lineWise(raw, (line) => line, visibleControls);
}

/** A text as `looseView` sees it. `keepEnd` leaves blanks at the very end, where the line may go on in the file. */
export function tidyLoosely(text: string, keepEnd: boolean): string {
  const lines = tidyLineEnds(text).replaceAll("\u240d", "\n").split("\n");
  return lines.map((line, index) => {
    const kept = keepEnd && index === lines.length - 1 ? line : line.trimEnd();
    return PLAIN.test(kept) ? kept : kept.replace(CLUSTER, plain);
  }).join("\n");
}

/**
 * View of a raw text without trailing blanks and with look-alikes made one: compatibility forms (NFKC), quotes, dashes,
 * spaces, and controls as the symbols that read shows for them.
 */
export function looseView(raw: string): View {
  return lineWise(raw, (line) => line.trimEnd(), plain);
}

/** A view that keeps a part of each line and shows each character, with its marks, in its own way. */
function lineWise(raw: string, keep: (line: string) => string, shown: (character: string) => string): View {
  const parts: string[] = [];
  const origins: (number | undefined)[] = [];
  const add = (text: string, origin: number, isPlain: boolean): void => {
    parts.push(text);
    for (let i = 0; i < text.length; i++) origins.push(isPlain ? origin + i : i === 0 ? origin : undefined);
  };
  for (const { 0: whole, 1: line = "", index } of raw.matchAll(/([^\r\n\u240d]*)(\r\n|[\r\n\u240d]|$)/g)) {
    const kept = keep(line);
    if (PLAIN.test(kept)) add(kept, index, true);
    else for (const cluster of kept.matchAll(CLUSTER)) add(shown(cluster[0]), index + cluster.index, false);
    if (whole.length > line.length) add("\n", index + line.length, true);
  }
  origins.push(raw.length);
  return { text: parts.join(""), origin: (index) => origins[index] };
}

function plain(text: string): string {
  return visibleControls(
    text.normalize("NFKC")
      .replace(/[\u2018-\u201b]/g, "'")
      .replace(/[\u201c-\u201f]/g, '"')
      .replace(/[\u2010-\u2015\u2212]/g, "-")
      .replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, " "),
  );
}

/** How many of the ascending numbers are below `limit`. */
function countBelow(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? Infinity) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
