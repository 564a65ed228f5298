import { ToolError } from "../../src/core/error.ts";
import type { Edit } from "./arguments.ts";
import { hintFor } from "./hint.ts";
import { lineEndView, shownView, tidyLineEnds, tidyShown, type View } from "./view.ts";
import { hasControls, restoreControls } from "../text/visible_controls.ts";

/** One change of a raw text: units `start` to `end` become `text`. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface Span {
  /** Place in the list of edits. */
  readonly index: number;
  /** The matched part of the raw text. */
  readonly start: number;
  readonly end: number;
  readonly replacement: Replacement;
}

/**
 * Finds each edit's old text in the raw text, exactly or as `read` shows it, and says what to replace; in order of
 * position.
 *
 * Throws `ToolError`, and nothing is to be changed, when an old text is empty, missing, or there more than once, when
 * two edits overlap, or when nothing would change (R483, R484).
 */
export function matchEdits(raw: string, edits: readonly Edit[], shown: string): Replacement[] {
  if (edits.length === 0) throw new ToolError(`Cannot edit ${shown}: edits must hold at least one replacement`);
  const exact = lineEndView(raw);
  let asShown: View | undefined;
  const spans = edits.map((edit, index): Span => {
    const name = edits.length === 1 ? "the old text" : `edits[${index}].oldText`;
    const old = tidyLineEnds(edit.oldText.replace(/^\ufeff/, ""));
    if (old === "") throw new ToolError(`Cannot edit ${shown}: ${name} is empty. Use write to fill an empty file`);
    const found = placesOf(exact, old);
    if (found.length === 1) return exactSpan(raw, exact, index, found[0] ?? 0, old, edit.newText);
    refuseMany(found.length, name, shown);
    if (hasControls(raw)) {
      asShown ??= shownView(raw);
      const wanted = tidyShown(old);
      const places = placesOf(asShown, wanted);
      refuseMany(places.length, name, shown);
      if (places[0] !== undefined) return shownSpan(raw, asShown, index, places[0], wanted, edit.newText);
    }
    throw new ToolError(`Cannot edit ${shown}: ${name} was not found. ${hintFor(exact.text, old)}`);
  });
  refuseOverlap(spans, shown);
  const changes = spans.map(({ replacement }) => replacement)
    .filter(({ start, end, text }) => raw.slice(start, end) !== text);
  if (changes.length === 0) {
    throw new ToolError(
      `No changes made to ${shown}: the new text is the same as the old. Nothing needs to be done, or oldText and newText were mixed up`,
    );
  }
  return changes.sort((a, b) => a.start - b.start);
}

/** Where a text occurs in a view, overlapping occurrences too; only where raw characters begin and end. */
function placesOf({ text, origin }: View, wanted: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    if (origin(at) !== undefined && origin(at + wanted.length) !== undefined) places.push(at);
  }
  return places;
}

/** Only the part that differs is replaced, so that the lines around it keep even their line ends. */
function exactSpan(raw: string, { origin }: View, index: number, at: number, old: string, newText: string): Span {
  // An exact view has an origin for every index.
  const from = (offset: number): number => origin(at + offset) ?? 0;
  const wanted = tidyLineEnds(newText.toWellFormed());
  let head = 0;
  while (head < old.length && head < wanted.length && old[head] === wanted[head]) head++;
  if (isInsidePair(old, head) || isInsidePair(wanted, head)) head--;
  let tail = 0;
  const room = Math.min(old.length, wanted.length) - head;
  while (tail < room && old[old.length - 1 - tail] === wanted[wanted.length - 1 - tail]) tail++;
  if (isInsidePair(old, old.length - tail) || isInsidePair(wanted, wanted.length - tail)) tail--;
  const start = from(head);
  const end = from(old.length - tail);
  const text = wanted.slice(head, wanted.length - tail).replaceAll("\n", lineEndAt(raw, start, from(0)));
  return { index, start: from(0), end: from(old.length), replacement: { start, end, text } };
}

function shownSpan(raw: string, { origin }: View, index: number, at: number, old: string, newText: string): Span {
  const start = origin(at) ?? 0;
  const end = origin(at + old.length) ?? 0;
  const wanted = restoreControls(newText.toWellFormed(), raw.slice(start, end));
  const text = tidyLineEnds(wanted).replaceAll("\n", lineEndAt(raw, start, start));
  return { index, start, end, replacement: { start, end, text } };
}

/** The line end in use at an index: of the line that just ended there, if `from` lies before; else of its own line. */
function lineEndAt(raw: string, index: number, from: number): string {
  const before = index > from ? /\r\n$|[\r\n]$/.exec(raw.slice(Math.max(0, index - 2), index))?.[0] : undefined;
  if (before !== undefined) return before;
  const next = /\r\n|[\r\n]/g;
  next.lastIndex = index;
  const own = next.exec(raw)?.[0];
  if (own !== undefined) return own;
  const last = Math.max(raw.lastIndexOf("\n", index), raw.lastIndexOf("\r", index));
  return last === -1 ? "\n" : raw[last] === "\n" && raw[last - 1] === "\r" ? "\r\n" : raw[last] ?? "\n";
}

function isInsidePair(text: string, index: number): boolean {
  return index > 0 && /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(index - 1, index + 1));
}

function refuseMany(count: number, name: string, shown: string): void {
  if (count <= 1) return;
  throw new ToolError(
    `Cannot edit ${shown}: ${name} occurs ${count} times. Add surrounding lines until it occurs once`,
  );
}

function refuseOverlap(spans: readonly Span[], shown: string): void {
  const sorted = [...spans].sort((a, b) => a.start - b.start || a.end - b.end);
  for (const [at, span] of sorted.entries()) {
    const next = sorted[at + 1];
    if (next === undefined || next.start >= span.end) continue;
    const [first, second] = [span.index, next.index].sort((a, b) => a - b);
    throw new ToolError(`Cannot edit ${shown}: edits[${first}] and edits[${second}] overlap. Merge them into one edit`);
  }
}
