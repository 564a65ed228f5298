import { attempt } from "./attempt.ts";

/** How a glob is read. */
export interface GlobOptions {
  /** Whether `{a,b}` offers alternatives; gitignore files know no such thing. */
  readonly braces: boolean;
  readonly ignoreCase?: boolean;
}

const POSIX_CLASSES: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  blank: " \\t",
  cntrl: "\\x00-\\x1f\\x7f",
  digit: "0-9",
  graph: "\\x21-\\x7e",
  lower: "a-z",
  print: "\\x20-\\x7e",
  punct: "\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e",
  space: "\\s",
  upper: "A-Z",
  xdigit: "0-9A-Fa-f",
};

/** The range text of a POSIX class name, for use inside `[…]`; undefined for an unknown name. */
export function posixClass(name: string): string | undefined {
  return Object.hasOwn(POSIX_CLASSES, name) ? POSIX_CLASSES[name] : undefined;
}

/** Takes the special meaning from every character that has one in a regular expression. */
export function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

/** Tells whether a whole path, or a name, is meant. */
export interface Glob {
  readonly test: (path: string) => boolean;
}

/** Stars that are tried again, and braces, that a regular expression may have: its time grows with a power of both. */
const MOST_STARS = 2;
const MOST_BRACES = 2;

/**
 * Compiles a glob for whole `/`-separated relative paths (or for names).
 *
 * `*` and `?` stay within a name and match a leading dot; `**` as a whole path part matches any number of folders.
 * `[` without its `]` and a trailing backslash stand for themselves. No glob takes more time than in proportion to its
 * length and to the square of the path's.
 */
export function compileGlob(glob: string, options: GlobOptions): Glob {
  const tokens = globTokens(glob, options.braces);
  const flags = options.ignoreCase ? "iu" : "u";
  const { source, stars } = joinTokens(tokens);
  const braces = tokens.filter((token) => token === OPEN).length;
  if (stars <= MOST_STARS && braces <= MOST_BRACES) return new RegExp(`^${source}$`, flags);
  return linearGlob(tokens, flags);
}

/** Any part of a name. */
const STAR = "[^/]*";
/** Any number of folders. */
const FOLDERS = "(?:[^/]+/)*";
/** Anything, and anything but nothing. */
const [ALL, SOME] = ["[^]*", "[^]+"];
const [OPEN, OR, CLOSE] = ["(?:", "|", ")"];

/** The parts of a glob as pieces of a regular expression: each of one character, but for the constants above. */
function globTokens(glob: string, braces: boolean): readonly string[] {
  const closing = braces ? braceEnds(glob) : new Map<number, number>();
  const ends: number[] = [];
  const tokens: string[] = [];
  for (let i = 0; i < glob.length;) {
    const char = String.fromCodePoint(glob.codePointAt(i) ?? 0);
    const set = char === "[" ? bracket(glob, i) : undefined;
    let token = escapeRegex(char);
    let next = i + char.length;
    if (char === "*") {
      while (glob.charAt(next) === "*") next++;
      [token, next] = stars(glob, i, next);
    } else if (char === "?") token = "[^/]";
    else if (set) [token, next] = [set.source, set.end];
    else if (char === "\\" && i + 1 < glob.length) {
      const plain = String.fromCodePoint(glob.codePointAt(i + 1) ?? 0);
      [token, next] = [escapeRegex(plain), i + 1 + plain.length];
    } else if (char === "{" && closing.has(i)) {
      ends.push(closing.get(i) ?? -1);
      token = OPEN;
    } else if (char === "}" && ends.at(-1) === i) {
      ends.pop();
      token = CLOSE;
    } else if (char === "," && ends.length > 0) token = OR;
    tokens.push(token);
    i = next;
  }
  return tokens;
}

/**
 * Joins the parts of a glob. What stands between two stars may as well match as early as it can, because the second
 * star takes the rest; so a star is not tried again once that is found, and many stars cost no more than one each.
 * `stars` counts those that are tried again.
 */
function joinTokens(tokens: readonly string[]): { readonly source: string; readonly stars: number } {
  let source = "";
  let stars = 0;
  let groups = 0;
  for (let i = 0; i < tokens.length; i++) {
    const next = tokens[i] === STAR ? tokens.indexOf(STAR, i + 1) : -1;
    const between = tokens.slice(i + 1, Math.max(next, 0));
    if (next === -1 || between.some((token) => /^(?:\\?\/|\(\?:|\)|\||\[\^\][*+])/.test(token))) {
      source += tokens[i];
      if ([STAR, FOLDERS, ALL, SOME].includes(tokens[i] ?? "")) stars++;
    } else {
      // A look-ahead is never entered twice: this is how JavaScript spells an atomic group.
      source += `(?=(?<s${++groups}>${STAR}?${between.join("")}))\\k<s${groups}>`;
      i = next - 1;
    }
  }
  return { source, stars };
}

/** One step of a glob that is matched in all its ways at once: a character to take, or steps to go on with. */
type Step = { readonly takes: RegExp; readonly to: number } | { readonly goes: number[] };

/** Matches by keeping the set of all steps that a path may have come to (Thompson's construction): nothing is tried twice. */
function linearGlob(tokens: readonly string[], flags: string): Glob {
  const steps: Step[] = [];
  const takes = (source: string, to = steps.length + 1): void =>
    void steps.push({ takes: new RegExp(`^${source}$`, flags), to });
  const goes = (...to: number[]): number[] => {
    steps.push({ goes: to });
    return to;
  };
  const open: { readonly choices: number[]; readonly ends: number[][] }[] = [];
  for (const token of tokens) {
    const at = steps.length;
    if (token === STAR || token === ALL) {
      goes(at + 1, at + 2);
      takes(token.slice(0, -1), at);
    } else if (token === SOME) {
      takes("[^]");
      goes(at, at + 2);
    } else if (token === FOLDERS) {
      goes(at + 1, at + 4);
      takes("[^/]");
      goes(at + 1, at + 3);
      takes("/", at);
    } else if (token === OPEN) open.push({ choices: goes(at + 1), ends: [] });
    else if (token === OR || token === CLOSE) {
      const group = open.at(-1);
      group?.ends.push(goes());
      if (token === OR) group?.choices.push(at + 1);
      else {
        open.pop();
        group?.ends.forEach((end) => end.push(at + 1));
      }
    } else takes(token);
  }

  const reach = (from: readonly number[]): ReadonlySet<number> => {
    const reached = new Set(from);
    for (const at of reached) {
      const step = steps[at];
      if (step && "goes" in step) step.goes.forEach((to) => reached.add(to));
    }
    return reached;
  };
  return {
    test(path) {
      let now = reach([0]);
      for (const char of path) {
        const next: number[] = [];
        for (const at of now) {
          const step = steps[at];
          if (step && "takes" in step && step.takes.test(char)) next.push(step.to);
        }
        if (next.length === 0) return false;
        now = reach(next);
      }
      return now.has(steps.length);
    },
  };
}

/** A run of stars from `start` to `end`: only a `**` that fills a whole path part crosses folders. */
function stars(glob: string, start: number, end: number): readonly [string, number] {
  const opens = start === 0 || glob.charAt(start - 1) === "/";
  if (end - start < 2 || !opens) return [STAR, end];
  if (glob.charAt(end) === "/") return [FOLDERS, end + 1];
  return end === glob.length ? [start === 0 ? ALL : SOME, end] : [STAR, end];
}

/** The set that starts at `start`, never matching `/`; undefined when it has no end. */
function bracket(glob: string, start: number): { readonly source: string; readonly end: number } | undefined {
  let i = start + 1;
  const negated = glob.charAt(i) === "!" || glob.charAt(i) === "^";
  if (negated) i++;
  let body = "";
  for (let first = true; i < glob.length; first = false) {
    const char = glob.charAt(i);
    if (char === "]" && !first) {
      // A range from high to low is an error to RegExp and matches nothing to git.
      const source = `(?!/)[${negated ? "^" : ""}${body}]`;
      return { source: attempt(() => new RegExp(source, "u")) ? source : "(?!)", end: i + 1 };
    }
    const named = char === "[" ? /^\[:([a-z]+):\]/.exec(glob.slice(i)) : null;
    if (named) {
      body += posixClass(named[1] ?? "") ?? "";
      i += named[0].length;
    } else if (char === "\\" && i + 1 < glob.length) {
      body += `\\u{${glob.charCodeAt(i + 1).toString(16)}}`;
      i += 2;
    } else {
      const point = glob.codePointAt(i) ?? 0;
      body += char === "-" && !first && glob.charAt(i + 1) !== "]" ? "-" : `\\u{${point.toString(16)}}`;
      i += point > 0xffff ? 2 : 1;
    }
  }
  return undefined;
}

/** Where each `{` that has a partner is closed. */
function braceEnds(glob: string): Map<number, number> {
  const closing = new Map<number, number>();
  const open: number[] = [];
  for (let i = 0; i < glob.length; i++) {
    const char = glob.charAt(i);
    if (char === "\\") i++;
    else if (char === "{") open.push(i);
    else if (char === "}") {
      const start = open.pop();
      if (start !== undefined) closing.set(start, i);
    }
  }
  return closing;
}
