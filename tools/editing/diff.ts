import { stripControls } from "../../src/core/support/text.ts";
import { countLineFeeds } from "../text/truncate.ts";
import type { Replacement } from "./match.ts";

/** What people see of an edit: `+NN`, `-NN` and context lines, numbered, and the first new line that differs. */
export interface EditDiff {
  readonly diff: string;
  /** Line of the new file, from 1. */
  readonly firstChangedLine: number;
}

/** Unchanged lines shown around a change. */
const CONTEXT = 4;

/** The diff is for people: more lines than this, or longer ones, are not read. */
const MAX_LINES = 400;
const MAX_UNITS = 500;

/** Lines that may differ in one changed block before it is shown as taken out and put in: aligning costs their square. */
const MAX_DIFFERENT = 400;

/** Neighbouring replacements whose lines touch or whose context would: one piece of the file, before and after. */
interface Block {
  /** First line before, from 0. */
  readonly line: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

type Row = readonly [sign: "+" | "-" | " ", line: number, text: string];

/** Compares before and after around the replacements alone, so the size of the file plays no part. */
export async function editDiff(raw: string, replacements: readonly Replacement[]): Promise<EditDiff> {
  const rows: Row[] = [];
  const gaps = new Set<number>();
  let shift = 0;
  let firstChangedLine = 0;
  for (const block of blocksOf(raw, replacements)) {
    if (block.line > 0) gaps.add(rows.length);
    let oldLine = block.line + 1;
    for (const [sign, text] of await alignedLines(block.before, block.after)) {
      if (sign !== " ") firstChangedLine ||= oldLine + shift;
      rows.push([sign, sign === "+" ? oldLine + shift : oldLine, text]);
      if (sign === "+") shift++;
      else oldLine++;
      if (sign === "-") shift--;
    }
  }
  return { diff: rendered(rows, gaps), firstChangedLine };
}

function rendered(rows: readonly Row[], gaps: ReadonlySet<number>): string {
  const shown = rows.slice(0, MAX_LINES);
  const width = String(Math.max(...shown.map(([, line]) => line))).length;
  const gap = ` ${" ".repeat(width)} ...`;
  const lines = shown.flatMap(([sign, line, text], index) => {
    const row = `${sign}${String(line).padStart(width)} ${stripControls(text).slice(0, MAX_UNITS).toWellFormed()}`;
    return gaps.has(index) ? [gap, row] : [row];
  });
  return (rows.length > shown.length ? [...lines, gap] : lines).join("\n");
}

function blocksOf(raw: string, replacements: readonly Replacement[]): Block[] {
  const blocks: Block[] = [];
  let counted = { offset: 0, line: 0 };
  for (let first = 0; first < replacements.length;) {
    const group: Replacement[] = [];
    let end = -1;
    for (let next = replacements[first]; next; next = replacements[first]) {
      if (end !== -1 && linesBefore(raw, next.start, CONTEXT) > end) break;
      end = linesAfter(raw, next.end, CONTEXT);
      group.push(next);
      first++;
    }
    const start = linesBefore(raw, group[0]?.start ?? 0, CONTEXT);
    const line = counted.line + countLineFeeds(raw, counted.offset, start);
    counted = { offset: start, line };
    const changed: string[] = [];
    let from = start;
    for (const { start, end, text } of group) {
      changed.push(raw.slice(from, start), text);
      from = end;
    }
    changed.push(raw.slice(from, end));
    blocks.push({ line, before: linesOf(raw.slice(start, end)), after: linesOf(changed.join("")) });
  }
  return blocks;
}

/** Old and new lines in one order. The `diff` package is loaded only for what is not one piece against another. */
async function alignedLines(before: readonly string[], after: readonly string[]): Promise<["+" | "-" | " ", string][]> {
  let head = 0;
  while (head < Math.min(before.length, after.length) && before[head] === after[head]) head++;
  let tail = 0;
  const room = Math.min(before.length, after.length) - head;
  while (tail < room && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const out = before.slice(head, before.length - tail);
  const into = after.slice(head, after.length - tail);
  const rows: ["+" | "-" | " ", string][] = [];
  const add = (sign: "+" | "-" | " ", lines: readonly string[]): void => {
    for (const line of lines) rows.push([sign, line]);
  };
  add(" ", before.slice(0, head));
  const changes = out.length > 1 && into.length > 1 ? await alignedBy(out, into) : undefined;
  if (changes === undefined) {
    add("-", out);
    add("+", into);
  } else {
    for (const { removed, added, value } of changes) add(removed ? "-" : added ? "+" : " ", value);
  }
  add(" ", before.slice(before.length - tail));
  return rows;
}

async function alignedBy(out: string[], into: string[]) {
  const { diffArrays } = await import("diff");
  return diffArrays(out, into, { maxEditLength: MAX_DIFFERENT });
}

/** Lines without their ends; a changed line end alone is no visible change. */
function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|[\r\n]/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Start of the line `count` lines before the one that holds `offset`. */
function linesBefore(raw: string, offset: number, count: number): number {
  let at = offset;
  for (let i = 0; i <= count && at > 0; i++) at = raw.lastIndexOf("\n", at - 2 + (i === 0 ? 1 : 0)) + 1;
  return at;
}

/** End of the line `count` lines after the one that holds `offset`. */
function linesAfter(raw: string, offset: number, count: number): number {
  let at = offset;
  for (let i = 0; i <= count; i++) {
    const next = raw.indexOf("\n", at);
    if (next === -1) return raw.length;
    at = next + 1;
  }
  return at;
}
