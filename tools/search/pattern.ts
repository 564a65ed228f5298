import { escapeRegex } from "../../src/core/support/glob.ts";
import { keepOnLine } from "./pattern_lines.ts";

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

/** Why a pattern cannot be used, for the model. */
export interface BrokenPattern {
  readonly error: string;
}

/** Texts shorter than this are no use for sorting files out. */
const MIN_NEEDLE = 3;

/**
 * Compiles what the model asked for. Beside JavaScript's own syntax it takes `(?i)` at the start, `(?P<name>…)` and
 * POSIX classes, which models know from other search tools.
 */
export function compilePattern(
  pattern: string,
  options: { readonly literal?: boolean; readonly ignoreCase?: boolean },
): Pattern | BrokenPattern {
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

function build(source: string, wholeText: boolean, needle: string, ignoreCase: boolean): Pattern {
  const regex = new RegExp(source, flagsFor(source) + (ignoreCase ? "i" : ""));
  if (needle.length < MIN_NEEDLE) return { regex, wholeText, mayMatch: () => true };
  if (!ignoreCase) {
    const mayMatch = (text: string): boolean => text.includes(needle);
    return { regex, wholeText, mayMatch, ...(isInBytes(needle) ? { needle } : {}) };
  }
  const folded = new RegExp(escapeRegex(needle), regex.unicode ? "iu" : "i");
  return { regex, wholeText, mayMatch: (text) => folded.test(text) };
}

/** U+FFFD stands for any broken bytes, and half a character has none. */
function isInBytes(needle: string): boolean {
  return needle.isWellFormed() && !needle.includes("\ufffd");
}

/**
 * Unicode mode only where the pattern needs it: without it V8 can leave a pattern that backtracks without end to its
 * linear engine (`LINEAR_REGEX`), and escapes like `\-` are no error.
 */
function flagsFor(source: string): string {
  return /\\[pP]\{|\\u\{|[\ud800-\udfff]/.test(source) ? "gmu" : "gm";
}

function translate(pattern: string): { readonly source: string; readonly ignoreCase: boolean } {
  const inline = /^\(\?([ism]+)\)/.exec(pattern);
  const source = pattern.slice(inline?.[0].length ?? 0).replaceAll("(?P<", "(?<");
  return { source, ignoreCase: inline?.[1]?.includes("i") === true };
}
