// Regular expressions that are searched for in bounded time. V8 leaves an expression that backtracks too often to an engine
// whose time is in proportion to the text (`LINEAR_REGEX`), if that engine knows all of its syntax. It does not know case
// folding, Unicode mode and large counts, which are written out here, nor look-around and back references, which are errors.

/** The largest count that the linear engine takes, and the largest product of nested ones. */
const LARGEST_COUNT = 16;
/** Copies of parts that counts may be written out to, and characters of the whole. */
const MOST_COPIES = 5_000;
const LONGEST_SOURCE = 100_000;
/** A range of a class that is longer than that keeps its case. */
const LONGEST_FOLDED_RANGE = 1_024;
const LAST_UNIT = 0xffff;

/** Matches no character. */
const NOTHING = "[^\\s\\S]";

/** What cannot be written for the linear engine. */
class NotLinear extends Error {}

/**
 * The source of an expression that matches the same, without flags for case and Unicode and such that V8's linear engine
 * takes it; or why there is none, as a sentence for the model. `source` is a valid expression of
 * JavaScript, `unicode` says whether it is in Unicode mode.
 */
export function linearSource(
  source: string,
  { ignoreCase, unicode }: { readonly ignoreCase: boolean; readonly unicode: boolean },
): { readonly source: string } | { readonly error: string } {
  if (!ignoreCase && !unicode && isLinear(source)) return { source };
  try {
    // Written out, counts take even longer without the engine.
    const written = write(source, { ignoreCase, unicode, writesCounts: knowsLinear() });
    if (knowsLinear() && !isLinear(written)) throw new NotLinear("it uses syntax that has no bound on time");
    return { source: written };
  } catch (error) {
    if (!(error instanceof NotLinear)) throw error;
    return {
      error: `Cannot search for this pattern: ${error.message}. Such a search could take unlimited time. ` +
        "Write it without that, or run grep with bash.",
    };
  }
}

/** Returns whether V8's linear engine takes an expression; false if this process was not started with it. */
function isLinear(source: string): boolean {
  try {
    // The flag is V8's own.
    new RegExp(source, "lgm");
    return true;
  } catch {
    return false;
  }
}

let known: boolean | undefined;

/** Returns whether this process was started with V8's linear engine (`LINEAR_REGEX`). */
export function knowsLinear(): boolean {
  return known ??= isLinear("a");
}

/** A part of an expression: its text, and the largest product of nested counts in it. */
interface Part {
  readonly text: string;
  readonly count: number;
}

/** Writes an expression anew, part by part. */
function write(
  source: string,
  { ignoreCase, unicode, writesCounts }: {
    readonly ignoreCase: boolean;
    readonly unicode: boolean;
    readonly writesCounts: boolean;
  },
): string {
  let at = 0;
  let copies = 0;
  const look = (text: string): boolean => source.startsWith(text, at);
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const match = pattern.exec(source) ?? undefined;
    if (match) at += match[0].length;
    return match;
  };

  const choices = (): Part => {
    let text = "";
    let count = 1;
    while (at < source.length && !look(")")) {
      if (look("|")) {
        at++;
        text += "|";
        continue;
      }
      const part = repeated(atom());
      text += part.text;
      count = Math.max(count, part.count);
      if (text.length > LONGEST_SOURCE) throw new NotLinear("it is too long when its counts are written out");
    }
    return { text, count };
  };

  const atom = (): Part => {
    const assertion = take(/[\^$]|\\[bB]/y)?.[0];
    if (assertion !== undefined) return { text: assertion, count: 1 };
    if (look("(")) return group();
    if (look("[")) return { text: classText(), count: 1 };
    if (take(/\./y)) return { text: ".", count: 1 };
    const set = setEscape();
    if (set !== undefined) return { text: set, count: 1 };
    return { text: characterText(character()), count: 1 };
  };

  const group = (): Part => {
    const around = take(/\(\?<?[=!]/y)?.[0];
    if (around !== undefined) {
      throw new NotLinear(`it looks ${around.includes("<") ? "behind" : "ahead"} with ${around}…)`);
    }
    const flags = take(/\(\?([a-z]*)(?:-([a-z]*))?:/y);
    if (flags?.[1] || flags?.[2]) {
      throw new NotLinear("it sets flags for a part of it (use ignoreCase, or (?i) at its beginning)");
    }
    if (!flags) take(/\((?:\?<[^>]*>)?/y);
    const { text, count } = choices();
    at++;
    return { text: `(?:${text})`, count };
  };

  /** An escape that stands for a set of characters. */
  const setEscape = (): string | undefined => {
    const plain = take(/\\[dDwWsS]/y)?.[0];
    if (plain !== undefined) return plain;
    const reference = take(/\\(?:[1-9]\d*|k<[^>]*>)/y)?.[0];
    if (reference !== undefined) throw new NotLinear(`it refers back to a group with ${reference}`);
    const property = take(/\\[pP]\{[^}]*\}/y)?.[0];
    return property === undefined ? undefined : `[${propertyRanges(property)}]`;
  };

  /** One character, escaped or not, as a code point. */
  const character = (): number => {
    const pair = unicode ? take(/\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})/y) : undefined;
    if (pair) return String.fromCharCode(parseInt(pair[1] ?? "", 16), parseInt(pair[2] ?? "", 16)).codePointAt(0) ?? 0;
    const code = take(/\\u\{([0-9a-fA-F]+)\}|\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})/y);
    if (code) return parseInt(code[1] ?? code[2] ?? code[3] ?? "", 16);
    const control = take(/\\c([A-Za-z])/y)?.[1];
    if (control !== undefined) return control.charCodeAt(0) % 32;
    const letter = take(/\\([tnvfr0])/y)?.[1];
    if (letter !== undefined) return { t: 9, n: 10, v: 11, f: 12, r: 13, 0: 0 }[letter as "t"];
    if (look("\\") && at + 1 < source.length) at++;
    const value = source.codePointAt(at) ?? 0;
    at += value > LAST_UNIT ? 2 : 1;
    return value;
  };

  const characterText = (value: number): string => {
    if (value > LAST_UNIT) return `(?:${units(String.fromCodePoint(value))})`;
    if (unicode && isHalf(value)) return NOTHING;
    const forms = ignoreCase ? formsOf(value) : [value];
    return forms.length === 1 ? unit(value) : `[${forms.map(unit).join("")}]`;
  };

  const classText = (): string => {
    const start = take(/\[\^?/y)?.[0] ?? "[";
    let text = "";
    while (at < source.length && !look("]")) {
      const set = setEscape();
      if (set !== undefined) {
        text += set.replace(/^\[|\]$/g, "");
        continue;
      }
      const low = take(/\\b/y) ? 8 : character();
      const isRange = look("-") && source.charAt(at + 1) !== "]" && at + 1 < source.length;
      if (isRange) at++;
      const end = isRange ? setEscape() : undefined;
      if (end !== undefined) {
        text += `${unit(low)}\\-${end.replace(/^\[|\]$/g, "")}`;
        continue;
      }
      const high = isRange ? (take(/\\b/y) ? 8 : character()) : low;
      if (high > LAST_UNIT) throw new NotLinear("it has a character above U+FFFF in a class");
      if (unicode && low === high && isHalf(low)) continue;
      text += `${unit(low)}-${unit(high)}`;
      if (ignoreCase) text += foldedRange(low, high);
    }
    at++;
    // Only the linear engine does not take an empty class.
    return text === "" ? (start === "[^" ? "[\\s\\S]" : NOTHING) : `${start}${text}]`;
  };

  const repeated = (part: Part): Part => {
    const sign = take(/(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})(\??)/y);
    if (!sign) return part;
    const [whole, least, comma, most, lazy = ""] = sign;
    if (least === undefined && !whole.startsWith("+")) {
      return { text: part.text + whole, count: Math.max(1, part.count) };
    }
    const from = Number(least ?? 1);
    const to = least !== undefined && comma === undefined ? from : most ? Number(most) : Infinity;
    // The engine may copy what is repeated without end once more than it has to stand there.
    const own = Math.max(1, to === Infinity ? from + 1 : to);
    if (!writesCounts || own * Math.max(1, part.count) <= LARGEST_COUNT) {
      return { text: part.text + whole, count: own * Math.max(1, part.count) };
    }
    const chunk = Math.max(1, Math.floor(LARGEST_COUNT / Math.max(1, part.count)));
    const times = (count: number, text: (size: number) => string): string => {
      copies += Math.ceil(count / chunk);
      if (copies > MOST_COPIES) throw new NotLinear("its counts are too large");
      let all = "";
      for (let left = count; left > 0; left -= chunk) {
        all += text(Math.min(left, chunk));
        if (all.length > LONGEST_SOURCE) throw new NotLinear("it is too long when its counts are written out");
      }
      return all;
    };
    const sure = times(from, (size) => size === 1 ? part.text : `${part.text}{${size}}`);
    const rest = to === Infinity
      ? `${part.text}*${lazy}`
      : times(to - from, (size) => `${part.text}{0,${size}}${lazy}`);
    return { text: `(?:${sure}${rest})`, count: LARGEST_COUNT };
  };

  const { text } = choices();
  return text;
}

/**
 * Half of a character above U+FFFF. In Unicode mode it does not match a part of a whole character, and decoded text has no
 * half of one.
 */
function isHalf(value: number): boolean {
  return value >= 0xd800 && value <= 0xdfff;
}

/** One UTF-16 unit, so written that it has no other meaning anywhere. */
function unit(value: number): string {
  return /[A-Za-z0-9_]/.test(String.fromCharCode(value))
    ? String.fromCharCode(value)
    : `\\u${value.toString(16).padStart(4, "0")}`;
}

function units(text: string): string {
  return Array.from({ length: text.length }, (_, at) => unit(text.charCodeAt(at))).join("");
}

/** As JavaScript compares without regard to case (ECMA-262, Canonicalize, without Unicode mode). */
function canonical(value: number): number {
  const upper = String.fromCharCode(value).toUpperCase();
  const own = upper.length === 1 ? upper.charCodeAt(0) : value;
  return value >= 128 && own < 128 ? value : own;
}

/** The forms of a character in both cases. */
function formsOf(value: number): number[] {
  const char = String.fromCharCode(value);
  const others = [char.toUpperCase(), char.toLowerCase(), char.toUpperCase().toLowerCase()]
    .filter((text) => text.length === 1).map((text) => text.charCodeAt(0));
  const wanted = canonical(value);
  return [...new Set([value, ...others])].filter((one) => canonical(one) === wanted);
}

/** What a range of a class has besides in the other case. */
function foldedRange(low: number, high: number): string {
  const ascii = ([from, to]: readonly [number, number], shift: number): string => {
    const [a, b] = [Math.max(low, from), Math.min(high, to)];
    return a > b ? "" : `${unit(a + shift)}-${unit(b + shift)}`;
  };
  const letters = ascii([65, 90], 32) + ascii([97, 122], -32);
  const start = Math.max(low, 128);
  if (high - start > LONGEST_FOLDED_RANGE) return letters;
  let more = "";
  for (let value = start; value <= high; value++) more += formsOf(value).slice(1).map(unit).join("");
  return letters + more;
}

const properties = new Map<string, string>();

/** A Unicode property as ranges of a class; characters above U+FFFF are left out. */
function propertyRanges(escape: string): string {
  const last = properties.get(escape);
  if (last !== undefined) return last;
  const regex = new RegExp(escape, "u");
  let ranges = "";
  let start = -1;
  for (let value = 0; value <= LAST_UNIT + 1; value++) {
    const isIn = value <= LAST_UNIT && regex.test(String.fromCharCode(value));
    if (isIn && start < 0) start = value;
    if (!isIn && start >= 0) {
      ranges += `${unit(start)}-${unit(value - 1)}`;
      start = -1;
    }
  }
  properties.set(escape, ranges);
  return ranges;
}
