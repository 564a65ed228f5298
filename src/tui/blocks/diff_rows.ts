import type { Look } from "../widgets/block.ts";
import type { Style, Theme } from "../screen/theme.ts";
import { indent, wrap } from "../screen/wrap.ts";

/** A line of a diff as tools write it: a sign, the number of the line where it is known, its text. */
const LINE = /^([+ -])( *\d+ | )([^]*)$/;
/** Longest line whose words are compared, UTF-16 units, and how many of them may differ. */
const COMPARED_UNITS = 600;
const MAX_EDITS = 200;

/** Part of a line; `isMarked`: it is not in the line that this one was, or became. */
interface Part {
  readonly text: string;
  readonly isMarked: boolean;
}

type WordDiff = typeof import("diff/lib/diff/word.js").diffWordsWithSpace;
let wordDiff: WordDiff | undefined;

/** Loads what finds the words that differ; until then lines are shown without marks. */
export async function loadWordDiff(): Promise<void> {
  wordDiff = (await import("diff/lib/diff/word.js")).diffWordsWithSpace;
}

/**
 * A diff as rows, one list for each of its lines: long lines go on below their text. Where as many lines were taken out as
 * were put in after them, the words that changed are marked.
 */
export function diffRows(lines: readonly string[], { width, theme }: Pick<Look, "width" | "theme">): string[][] {
  const marks = markedParts(lines);
  return lines.map((line, index) => {
    const [, sign, number = "", text = ""] = LINE.exec(line) ?? [];
    if (sign === undefined) return [...wrap(diffStyle(line, theme)(line), width)];
    const style = diffStyle(line, theme);
    const parts = marks.get(index) ?? [{ text, isMarked: false }];
    const shown = parts.map(({ text, isMarked }) => isMarked ? theme.selected(text) : text).join("");
    const margin = " ".repeat(1 + number.length);
    const room = width - margin.length;
    if (room < 8) return [...wrap(style(line), width)];
    return [...indent(wrap(shown, room), margin, sign + number)].map(style);
  });
}

/** What colours a line of a diff: its first character says it. */
export function diffStyle(line: string, theme: Theme): Style {
  if (line.startsWith("+")) return theme.added;
  if (line.startsWith("-")) return theme.removed;
  return line.startsWith("@@") ? theme.accent : theme.dim;
}

/** The parts of lines that were changed, by their index. */
function markedParts(lines: readonly string[]): Map<number, readonly Part[]> {
  const marks = new Map<number, readonly Part[]>();
  const countFrom = (at: number, sign: string): number => {
    let end = at;
    while (lines[end]?.startsWith(sign)) end++;
    return end - at;
  };
  for (let at = 0; at < lines.length;) {
    const out = countFrom(at, "-");
    const into = countFrom(at + out, "+");
    const pairs = out === into ? out : 0;
    for (let pair = 0; pair < pairs; pair++) {
      const { old, now } = comparedWords(lines[at + pair] ?? "", lines[at + out + pair] ?? "");
      if (old) marks.set(at + pair, old);
      if (now) marks.set(at + out + pair, now);
    }
    at += Math.max(1, out + into);
  }
  return marks;
}

/** Both lines in parts; nothing where all or too much of them differs. */
function comparedWords(
  before: string,
  after: string,
): { readonly old?: readonly Part[]; readonly now?: readonly Part[] } {
  const [, , , old] = LINE.exec(before) ?? [];
  const [, , , now] = LINE.exec(after) ?? [];
  if (!wordDiff || old === undefined || now === undefined || old.length + now.length > 2 * COMPARED_UNITS) return {};
  const changes = wordDiff(old, now, { maxEditLength: MAX_EDITS });
  if (!changes?.some(({ added, removed, value }) => !added && !removed && value.trim() !== "")) return {};
  const parts = (left: "added" | "removed", marked: "added" | "removed"): readonly Part[] =>
    changes.filter((change) => !change[left]).map((change) => ({
      text: change.value,
      isMarked: change[marked] === true,
    }));
  return { old: parts("added", "removed"), now: parts("removed", "added") };
}
