import { posixClass } from "../../src/core/support/glob.ts";

/** A regular expression rewritten so that it stays on one line. */
export interface LinePattern {
  readonly source: string;
  /** False when something in it may still match a line end, so that it must be given single lines. */
  readonly wholeText: boolean;
  /** The longest text that every match contains; empty when none is known. */
  readonly needle: string;
}

/** White space but the line feed, for use inside `[…]`. */
const SPACES = " \\t\\v\\f\\r\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff";

const REWRITTEN: Readonly<Record<string, string>> = { s: "[^\\S\\n]", W: "[^\\w\\n]", D: "[^\\d\\n]" };

/** Escapes that cannot match a line feed: `\w`, `\d`, `\S`, boundaries, back references, some blanks. */
const HARMLESS = /[wdSbBktfv1-9]/;

/**
 * Rewrites what could match a line feed (`\s`, `\W`, `\D`, `[^…]`) so that a whole file can be searched in one call of
 * the regular expression engine instead of one a line, and finds a text that tells files without a match apart.
 */
export function keepOnLine(source: string): LinePattern {
  const needles = collectNeedles();
  let out = "";
  // `(?s:…)` and the like change what `.` means.
  let wholeText = !source.includes("\n") && !/\(\?[a-z]*-?[a-z]+:/.test(source);
  let depth = 0;
  for (let i = 0; i < source.length;) {
    const char = source.charAt(i);
    if (char === "\\") {
      const next = source.charAt(i + 1);
      const isPlain = /[^A-Za-z0-9]/.test(next);
      if (isPlain) needles.add(next, depth);
      else needles.end();
      if (!isPlain && !(next in REWRITTEN) && !HARMLESS.test(next)) wholeText = false;
      out += REWRITTEN[next] ?? char + next;
      i += 2;
    } else if (char === "[") {
      const set = lineSet(source, i);
      needles.end();
      wholeText &&= set.wholeText;
      out += set.source;
      i = set.end;
    } else {
      if (char === "(") depth++;
      if (char === ")") depth--;
      if (char === "|" && depth === 0) needles.giveUp();
      if (/[*?{]/.test(char)) needles.dropLast();
      if (/[.^$()|*+?{}]/.test(char)) needles.end();
      else needles.add(char, depth);
      const count = char === "{" ? /^\{\d*,?\d*\}/.exec(source.slice(i))?.[0] ?? char : char;
      out += count;
      i += count.length;
    }
  }
  return { source: out, wholeText, needle: needles.best() };
}

/** Collects the runs of plain characters that stand outside every group. */
interface Needles {
  readonly add: (char: string, depth: number) => void;
  /** The last character turned out to be optional. */
  readonly dropLast: () => void;
  readonly end: () => void;
  /** There is a choice between texts, so none is in every match. */
  readonly giveUp: () => void;
  readonly best: () => string;
}

function collectNeedles(): Needles {
  let run = "";
  let longest = "";
  let isUseless = false;
  const end = () => {
    if (run.length > longest.length) longest = run;
    run = "";
  };
  return {
    add(char, depth) {
      if (depth === 0) run += char;
    },
    dropLast() {
      run = run.slice(0, -1);
    },
    end,
    giveUp() {
      isUseless = true;
    },
    best() {
      end();
      return isUseless ? "" : longest;
    },
  };
}

/** The set that starts at `start`, with POSIX names spelled out and without the line feed. */
function lineSet(
  source: string,
  start: number,
): { readonly source: string; readonly end: number; readonly wholeText: boolean } {
  const negated = source.charAt(start + 1) === "^";
  let body = "";
  let wholeText = true;
  let i = start + (negated ? 2 : 1);
  while (i < source.length && source.charAt(i) !== "]") {
    const char = source.charAt(i);
    const named = char === "[" ? /^\[:([a-z]+):\]/.exec(source.slice(i)) : null;
    const ranges = posixClass(named?.[1] ?? "");
    if (named && ranges !== undefined) {
      body += named[1] === "space" && !negated ? SPACES : ranges;
      wholeText &&= negated || named[1] !== "cntrl";
      i += named[0].length;
      continue;
    }
    const text = char === "\\" ? source.slice(i, i + 2) : char;
    // A range may begin below the line feed and end above it; that is too rare to be worked out.
    const mayHoldLineFeed = /^\\(?![wdSs]|[tfv](?!-)|[^A-Za-z0-9])/.test(source.slice(i, i + 3)) || char < " ";
    if (!negated && mayHoldLineFeed && char !== "\t") wholeText = false;
    body += text === "\\s" && !negated ? SPACES : text;
    i += text.length;
  }
  return { source: `[${negated ? "^" : ""}${body}${negated ? "\\n" : ""}]`, end: i + 1, wholeText };
}
