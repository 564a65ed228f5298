import { stripControls, takeCharacters } from "../../src/core/support/text.ts";
import type { Files } from "../../src/core/tool.ts";
import { wideEncoding } from "../text/file_type.ts";
import { shownPath } from "../text/shown_path.ts";
import { countLineFeeds } from "../text/truncate.ts";
import { matchLines } from "./line_matches.ts";
import type { Pattern } from "./pattern.ts";

/** Longest part of a line that is shown, Unicode characters. */
export const LINE_CHARACTERS = 500;

/** One search under way: what is asked for, and what has been found. */
export interface GrepState {
  readonly pattern: Pattern;
  readonly limit: number;
  /** Lines shown before and after a match. */
  readonly around: number;
  readonly isOver: () => boolean;
  readonly lines: string[];
  matches: number;
  /** Whether there is a match beyond the limit. */
  hasMore: boolean;
  /** Whether time ran out. */
  isCut: boolean;
  hasLongLine: boolean;
  /** Whether the last file was left out as binary. */
  isBinary: boolean;
}

/**
 * Adds the matches of one file to `state`. Context does not reach over the border of two chunks, which only files
 * larger than a chunk have.
 */
export function grepFile(files: Files, path: string, shown: string, state: GrepState): void {
  let before = 0;
  state.isBinary = true;
  for (const text of textChunks(files, path)) {
    state.isBinary = false;
    grepText(text, before, shown, state);
    if (state.isCut || state.hasMore) return;
    before += countLineFeeds(text);
  }
  // An empty file is text without lines.
  if (state.isBinary && files.info(path).size === 0) state.isBinary = false;
}

/** Adds the matches of a file whose whole content is at hand to `state`. */
export function grepBytes(bytes: Uint8Array<ArrayBuffer>, shown: string, state: GrepState): void {
  const text = wholeText(bytes);
  if (text !== undefined) grepText(text, 0, shown, state);
}

function grepText(text: string, before: number, shown: string, state: GrepState): void {
  // One more than may be shown tells whether there is another.
  const found = matchLines(text, state.pattern, state.limit - state.matches + 1, state.isOver);
  if (found.lines.length > 0) show(text, before, shownPath(shown), found.lines, state);
  state.isCut ||= found.isCut;
}

function show(text: string, before: number, path: string, matches: readonly number[], state: GrepState): void {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const kept = matches.slice(0, state.limit - state.matches);
  const isMatch = new Set(kept);
  let next = 0;
  for (const match of kept) {
    const end = Math.min(lines.length, match + state.around + 1);
    for (let at = Math.max(next, match - state.around); at < end; at++) {
      const mark = isMatch.has(at) ? ":" : "-";
      state.lines.push(`${path}${mark}${before + at + 1}${mark} ${shownLine(lines[at] ?? "", state)}`);
    }
    next = Math.max(next, end);
  }
  state.matches += kept.length;
  state.hasMore = kept.length < matches.length;
}

function shownLine(line: string, state: GrepState): string {
  // Controls of a huge line need not be stripped beyond what can be shown.
  const clean = stripControls(line.slice(0, 64 * LINE_CHARACTERS).replace(/\r$/, "")).replaceAll("\n", " ");
  const head = takeCharacters(clean, LINE_CHARACTERS);
  if (head.length === clean.length) return clean;
  state.hasLongLine = true;
  return `${head}... [truncated]`;
}

/** Bytes read at a time: nearly every file at once, and a huge log without holding all of it. */
const CHUNK_BYTES = 8 * 1024 * 1024;

/** How many leading bytes decide whether a file is text; the number git uses. */
const SNIFF_BYTES = 8_000;

const GLANCE_BYTES = 64;

const utf8 = new TextDecoder();

/** The text of a file in pieces that end at line ends; nothing for a binary file. A failing read throws `ToolError`. */
function* textChunks(files: Files, path: string): Generator<string, void, void> {
  let bytes = files.read(path, 0, CHUNK_BYTES);
  const wide = wideEncoding(bytes);
  if (wide) return yield new TextDecoder(wide).decode(bytes);
  if (bytes.subarray(0, SNIFF_BYTES).includes(0)) return;
  for (let offset = 0; bytes.length === CHUNK_BYTES;) {
    const end = bytes.lastIndexOf(0x0a) + 1 || bytes.length;
    yield utf8.decode(bytes.subarray(0, end));
    offset += end;
    bytes = files.read(path, offset, CHUNK_BYTES);
  }
  if (bytes.length > 0) yield utf8.decode(bytes);
}

/** The text of a file's whole content; undefined for a binary file. */
function wholeText(bytes: Uint8Array<ArrayBuffer>): string | undefined {
  const wide = wideEncoding(bytes);
  if (wide) return new TextDecoder(wide).decode(bytes);
  // Nearly every binary file shows itself here and need not be decoded.
  if (bytes.subarray(0, GLANCE_BYTES).includes(0)) return undefined;
  const text = utf8.decode(bytes);
  // A text is searched faster than bytes are.
  return text.includes("\0") && bytes.subarray(0, SNIFF_BYTES).includes(0) ? undefined : text;
}
