import type { Pattern } from "./pattern.ts";

/**
 * Longest piece of text that one call of the regular expression engine gets, UTF-16 units. A call cannot be
 * interrupted, and a pattern like `.*a.*b` needs time that grows with the square of a line.
 */
const PIECE = 16_384;

/** How far pieces of one overlong line overlap: matches longer than this may be missed there, and only there. */
const OVERLAP = 2_048;

/** Which lines of a text match. */
export interface LineMatches {
  /** Line numbers from 0, ascending. */
  readonly lines: readonly number[];
  /** Whether the search ended before the end of the text because `isOver` said so. */
  readonly isCut: boolean;
}

/** Finds the first `limit` lines of a text that match; a final line feed does not begin another line. */
export function matchLines(text: string, pattern: Pattern, limit: number, isOver: () => boolean): LineMatches {
  const lines: number[] = [];
  if (!pattern.mayMatch(text)) return { lines, isCut: false };
  let lineNumber = 0;
  let counted = 0;
  const numberAt = (offset: number): number => {
    for (let at = text.indexOf("\n", counted); at !== -1 && at < offset; at = text.indexOf("\n", counted)) {
      lineNumber++;
      counted = at + 1;
    }
    return lineNumber;
  };
  for (let start = 0; start < text.length;) {
    if (start > 0 && isOver()) return { lines, isCut: true };
    const end = pieceEnd(text, start);
    for (const offset of offsetsIn(text, start, end, pattern, isOver)) {
      if (offset === undefined) return { lines, isCut: true };
      lines.push(numberAt(offset));
      if (lines.length >= limit) return { lines, isCut: false };
    }
    start = end;
  }
  return { lines, isCut: false };
}

/** Where the piece that starts at `start` ends: after a line feed, within `PIECE` unless a single line is longer. */
function pieceEnd(text: string, start: number): number {
  if (text.length - start <= PIECE) return text.length;
  const last = text.lastIndexOf("\n", start + PIECE - 1);
  if (last >= start) return last + 1;
  const next = text.indexOf("\n", start + PIECE);
  return next === -1 ? text.length : next + 1;
}

/** The start of one match for each matching line in a piece; undefined when time ran out in an overlong line. */
function* offsetsIn(
  text: string,
  start: number,
  end: number,
  { regex, wholeText }: Pattern,
  isOver: () => boolean,
): Generator<number | undefined, void, void> {
  const piece = start === 0 && end === text.length ? text : text.slice(start, end);
  if (piece.length > PIECE) {
    const matches = matchesLongLine(piece, regex, isOver);
    if (matches !== false) yield matches ? start : undefined;
    return;
  }
  for (let at = 0; at < piece.length;) {
    const feed = piece.indexOf("\n", at);
    const lineEnd = feed === -1 ? piece.length : feed;
    if (wholeText) {
      regex.lastIndex = at;
      const match = regex.exec(piece);
      if (!match || match.index >= piece.length && piece.endsWith("\n")) return;
      yield start + match.index;
      const next = piece.indexOf("\n", match.index);
      at = next === -1 ? piece.length : next + 1;
    } else {
      regex.lastIndex = 0;
      if (regex.test(piece.slice(at, lineEnd))) yield start + at;
      at = lineEnd + 1;
    }
  }
}

/**
 * Looks at overlapping parts; a match that touches an edge which is not the line's own may be an artefact of it.
 * Undefined when time ran out.
 */
function matchesLongLine(piece: string, regex: RegExp, isOver: () => boolean): boolean | undefined {
  const line = piece.endsWith("\n") ? piece.slice(0, -1) : piece;
  for (let from = 0; from < line.length; from += PIECE - OVERLAP) {
    if (from > 0 && isOver()) return undefined;
    const part = line.slice(from, from + PIECE);
    regex.lastIndex = 0;
    for (let match = regex.exec(part); match; match = regex.exec(part)) {
      const touchesStart = from > 0 && match.index === 0;
      const matchEnd = match.index + match[0].length;
      const touchesEnd = from + PIECE < line.length && matchEnd === part.length;
      if (!touchesStart && !touchesEnd) return true;
      if (match[0] === "") regex.lastIndex++;
    }
  }
  return false;
}
