import { escapeRegex, posixClass } from "../../src/core/support/glob.ts";
import { linearSource } from "./linear.ts";

/** A search pattern, ready to use. */
export interface Pattern {
  /** Global and multi-line: matches never reach over a line end when `wholeText` is set. */
  readonly regex: RegExp;
  /** Whether the regex may run over a text of many lines at once; otherwise it must see one line at a time. */
  readonly wholeText: boolean;
  /** Cheap test that a text without any match mostly fails. */
  readonly mayMatch: (text: string) => boolean;
  /** What every text with a match holds, and so does its UTF-8; undefined where no such text is known. */
  readonly needle?: string;
}

/** Texts shorter than this are no use for sorting files out. */
const MIN_NEEDLE = 3;

/**
 * Compiles what the model asked for. Beside JavaScript's own syntax it takes `(?i)` at the start, `(?P<name>…)` and
 * POSIX classes, which models know from other search tools. `error`: why it cannot be used, for the model.
 */
export function compilePattern(
  pattern: string,
  options: { readonly literal?: boolean; readonly ignoreCase?: boolean },
): Pattern | { readonly error: string } {
  if (pattern === "") return { error: "The pattern is empty. Give the text or regular expression to search for." };
  if (options.literal) {
    return build(escapeRegex(pattern), !pattern.includes("\n"), pattern, options.ignoreCase === true);
  }
  const { source, ignoreCase } = translate(pattern);
  const kept = keepOnLine(source);
  try {
    // Checked as it was written, so that the message speaks of the model's own text.
    new RegExp(source, flagsFor(source));
    return build(kept.source, kept.wholeText, kept.needle, options.ignoreCase === true || ignoreCase);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^Invalid regular expression: /, "") : String(error);
    return {
      error: `Invalid regular expression: ${reason}. Correct it (JavaScript syntax), or set literal: true to search ` +
        `for the text exactly as it stands.`,
    };
  }
}

function build(
  source: string,
  wholeText: boolean,
  needle: string,
  ignoreCase: boolean,
): Pattern | { readonly error: string } {
  const unicode = flagsFor(source).includes("u");
  const linear = linearSource(source, { ignoreCase, unicode });
  if ("error" in linear) return linear;
  const regex = new RegExp(linear.source, "gm");
  if (needle.length < MIN_NEEDLE) return { regex, wholeText, mayMatch: () => true };
  if (!ignoreCase) {
    const mayMatch = (text: string): boolean => text.includes(needle);
    return { regex, wholeText, mayMatch, ...(isInBytes(needle) ? { needle } : {}) };
  }
  const folded = new RegExp(escapeRegex(needle), unicode ? "iu" : "i");
  return { regex, wholeText, mayMatch: (text) => folded.test(text) };
}

/** U+FFFD stands for any broken bytes, and half a character has none. */
function isInBytes(needle: string): boolean {
  return needle.isWellFormed() && !needle.includes("\ufffd");
}

/** Unicode mode only where the pattern needs it: without it escapes like `\-` are no error. */
function flagsFor(source: string): string {
  return /\\[pP]\{|\\u\{|[\ud800-\udfff]/.test(source) ? "gmu" : "gm";
}

function translate(pattern: string): { readonly source: string; readonly ignoreCase: boolean } {
  const inline = /^\(\?([ism]+)\)/.exec(pattern);
  const source = pattern.slice(inline?.[0].length ?? 0).replaceAll("(?P<", "(?<");
  return { source, ignoreCase: inline?.[1]?.includes("i") === true };
}

/** A regular expression rewritten so that it stays on one line. */
interface LinePattern {
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
function keepOnLine(source: string): LinePattern {
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
function collectNeedles() {
  let run = "";
  let longest = "";
  let isUseless = false;
  const end = (): void => {
    if (run.length > longest.length) longest = run;
    run = "";
  };
  return {
    add: (char: string, depth: number): void => void (depth === 0 && (run += char)),
    /** The last character turned out to be optional. */
    dropLast: (): void => void (run = run.slice(0, -1)),
    end,
    /** There is a choice between texts, so none is in every match. */
    giveUp: (): void => void (isUseless = true),
    best(): string {
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
