/**
 * Terminal control: escape sequences (CSI; OSC, DCS, SOS, PM, APC with their payload; two-byte ones), C0 and C1 controls
 * but tab and newline, and the bidirectional overrides that make a text read differently from what it is.
 */
const CONTROL = new RegExp(
  [
    "(?:\\x1b\\[|\\x9b)[0-?]*[ -/]*[@-~]",
    "(?:\\x1b[\\]PX^_]|[\\x90\\x98\\x9d-\\x9f])[^\\x07\\x1b]*(?:\\x07|\\x1b\\\\|$)?",
    "\\x1b[ -/]*[0-~]?",
    "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f]",
    "[\\u202a-\\u202e\\u2066-\\u2069]",
  ].join("|"),
  "g",
);

/** Removes everything that could steer a terminal; CRLF and lone CR become LF. */
export function stripControls(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(CONTROL, "");
}

/** Characters that JSON does not escape, and that control a terminal or change the order of a text. */
const STEERING_IN_JSON = /[\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g;

/** Returns a value as JSON for a terminal or a program: characters that control a terminal are escaped, nothing is lost. */
export function visibleJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    STEERING_IN_JSON,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * Characters that nobody sees and a model reads all the same: formatting, private use, tags, lone halves of pairs. What
 * somebody writes there is meant to be hidden from the person who looks at the text.
 */
const UNSEEN = /[\p{Cf}\p{Co}\p{Cs}\u2800\u3164\u115f\u1160\uffa0]|\p{Variation_Selector}{2,}/gu;

/** Removes what nobody sees. */
export function stripUnseen(text: string): string {
  return text.replace(UNSEEN, "");
}

/** What goes over a line again: CR, backspace, and EL (ECMA-48: erase in line). */
// deno-lint-ignore no-control-regex -- controls are what this is about
const OVERWRITE = /^(?:[\r\x08]|\x1b\[[012]?K)$/;

/** As `stripControls`, but what makes a program's progress one line stays in the text, for `overwrittenLines`. */
export function stripAllButOverwrites(text: string): string {
  return text.replace(CONTROL, (found) => OVERWRITE.test(found) ? found : "");
}

/**
 * What stands for the seam between a prompt's halves wherever prompts are written as one text.
 *
 * Here the halves travel as two values and nothing is ever marked (dev/decisions/0014): the name is known so that no file
 * can bring the mark in, for a reader that goes by it.
 */
const BOUNDARY = "sandpiper:stable-prompt-ends";

/** Makes a text unable to pass for the boundary; it stays readable (R38). */
export function neutralise(text: string): string {
  return text.includes(BOUNDARY) ? text.replaceAll(BOUNDARY, "sandpiper/stable-prompt-ends") : text;
}

// deno-lint-ignore no-control-regex
const STEERING = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;

/** Whether cleaning takes more from a text than line ends and outer space: what is neither a person's nor an editor's work. */
export function isSteering(text: string): boolean {
  return STEERING.test(text) || text.includes(BOUNDARY);
}

/** Characters as people count them: Unicode code points. */
export function countCharacters(text: string): number {
  if (!/[\ud800-\udbff]/.test(text)) return text.length; // nearly always, and a hundred times faster
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) count--, i++;
  }
  return count;
}

/** The first `limit` Unicode characters; never half of a surrogate pair. */
export function takeCharacters(text: string, limit: number): string {
  if (text.length <= limit) return text;
  let end = 0;
  for (let taken = 0; taken < limit && end < text.length; taken++) {
    end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}

/** A word as a shell reads it back unchanged; in quotes only where it needs them. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Bytes as a person reads them: `123B`, `1.2KB`, `1.2MB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes}B`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)}KB`;
  return `${(bytes / (1024 * 1024)).toFixed(1)}MB`;
}

/** How many of something there are: `1 file`, `2 files`. `many`: where an s alone does not make it more than one. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Whether a path is absolute as Windows has it: with a drive's letter, or of another machine. */
export function isWindowsPath(path: string): boolean {
  return /^(?:[a-zA-Z]:[\\/]|[\\/]{2}[^\\/])/.test(path);
}

/** The lines of a text, each with its newline. */
export function linesOf(text: string): string[] {
  const lines: string[] = [];
  for (let at = 0; at < text.length;) {
    const newline = text.indexOf("\n", at);
    const end = newline < 0 ? text.length : newline + 1;
    lines.push(text.slice(at, end));
    at = end;
  }
  return lines;
}

/** The estimated size of a conversation before and after a compaction, as a phrase. */
export function compactionSizes(sizes: { readonly tokensBefore: number; readonly tokensAfter?: number }): string {
  const { tokensBefore, tokensAfter } = sizes;
  const before = `about ${tokensBefore.toLocaleString("en-US")} tokens before`;
  return tokensAfter === undefined ? before : `${before}, ${tokensAfter.toLocaleString("en-US")} after`;
}
