import { countLineFeeds } from "../text/truncate.ts";
import { visibleControls } from "../text/visible_controls.ts";
import { differencesOf, visibleJson } from "./differences.ts";
import { looseView, tidyLoosely } from "./view.ts";

/** Most lines that are compared for a hint. */
const MAX_LINES = 200_000;

/** Largest text in which look-alikes are searched, in units. */
const MAX_NEAR_UNITS = 8 * 1024 * 1024;

/** Longest near match that is shown, in units. */
const MAX_SHOWN_UNITS = 2000;

/** What to do about an old text that is not there, with what is there in its place; `text` and `old` have LF line ends. */
export function hintFor(text: string, old: string): string {
  if (old.includes("\ufffd")) return "Bytes shown as \ufffd are no text: leave them out of the old text";
  return lookAlike(text, old) ?? sameLines(text, old) ??
    "Read the file and copy the text exactly, with all blanks and line ends";
}

/** The text that differs only in what looks the same. */
function lookAlike(text: string, old: string): string | undefined {
  if (text.length > MAX_NEAR_UNITS) return undefined;
  const view = looseView(text);
  for (const wanted of new Set([tidyLoosely(old, true), tidyLoosely(old, false)])) {
    const at = wanted.trim() === "" ? -1 : view.text.indexOf(wanted);
    const start = at === -1 ? undefined : view.origin(at);
    const end = at === -1 ? undefined : view.origin(at + wanted.length);
    if (start === undefined || end === undefined) continue;
    const differences = differencesOf(text.slice(start, end), old);
    const how = "differ only in quotes, dashes or blanks";
    return shown(text, start, end, differences.length === 0 ? how : `differ: the file ${differences.join(", ")}`);
  }
  return undefined;
}

/** The lines that differ only in how they are indented, or of which the first is there. */
function sameLines(text: string, old: string): string | undefined {
  const raw = text.split("\n", MAX_LINES);
  const lines = raw.map((line) => line.trim());
  const wanted = old.split("\n").map((line) => line.trim()).filter((line, index, all) =>
    line !== "" || (index > 0 && index < all.length - 1)
  );
  const first = wanted[0] ?? "";
  if (first === "") return undefined;
  const starts = lines.flatMap((line, index) => line === first ? [index] : []);
  const start = starts.find((index) => wanted.every((line, offset) => lines[index + offset] === line));
  if (start !== undefined) {
    const from = raw.slice(0, start).reduce((sum, line) => sum + line.length + 1, 0);
    const there = raw.slice(start, start + wanted.length).join("\n");
    return shown(text, from, from + there.length, "differ only in indentation");
  }
  const at = starts[0];
  if (at === undefined) return undefined;
  const other = at + 1 + wanted.findIndex((line, offset) => lines[at + offset] !== line);
  return `Its first line is there at line ${at + 1}, but line ${other} differs: read from there and copy exactly`;
}

/** A part of the file as JSON: blanks at line ends and tabs can be seen in it, and it can be copied as it stands. */
function shown(text: string, start: number, end: number, how: string): string {
  const from = countLineFeeds(text, 0, start) + 1;
  const to = from + countLineFeeds(text, start, Math.max(start, end - 1));
  const lines = from === to ? `Line ${from} has text that` : `Lines ${from}-${to}`;
  const says = from === to ? how.replace("differ", "differs") : how;
  if (end - start > MAX_SHOWN_UNITS) return `${lines} ${says}: read them and copy the text exactly`;
  return `${lines} ${says}. As JSON it is ${visibleJson(visibleControls(text.slice(start, end)))}: use exactly that`;
}
