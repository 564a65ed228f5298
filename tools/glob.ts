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

/**
 * Compiles a glob to a regular expression over a whole `/`-separated relative path (or over one name).
 *
 * `*` and `?` stay within a name and match a leading dot; `**` as a whole path part matches any number of folders.
 * `[` without its `]` and a trailing backslash stand for themselves.
 */
export function compileGlob(glob: string, options: GlobOptions): RegExp {
  return new RegExp(`^${globSource(glob, options.braces)}$`, options.ignoreCase ? "iu" : "u");
}

/** Any part of a name. */
const STAR = "[^/]*";

function globSource(glob: string, braces: boolean): string {
  const closing = braces ? braceEnds(glob) : new Map<number, number>();
  const ends: number[] = [];
  const tokens: string[] = [];
  for (let i = 0; i < glob.length;) {
    const char = glob.charAt(i);
    const set = char === "[" ? bracket(glob, i) : undefined;
    let token = escapeRegex(char);
    let next = i + 1;
    if (char === "*") {
      while (glob.charAt(next) === "*") next++;
      [token, next] = stars(glob, i, next);
    } else if (char === "?") token = "[^/]";
    else if (set) [token, next] = [set.source, set.end];
    else if (char === "\\" && i + 1 < glob.length) [token, next] = [escapeRegex(glob.charAt(i + 1)), i + 2];
    else if (char === "{" && closing.has(i)) {
      ends.push(closing.get(i) ?? -1);
      token = "(?:";
    } else if (char === "}" && ends.at(-1) === i) {
      ends.pop();
      token = ")";
    } else if (char === "," && ends.length > 0) token = "|";
    tokens.push(token);
    i = next;
  }
  return joinTokens(tokens);
}

/**
 * Joins the parts of a glob. What stands between two stars may as well match as early as it can, because the second
 * star takes the rest; so a star is not tried again once that is found, and many stars cost no more than one each.
 */
function joinTokens(tokens: readonly string[]): string {
  let source = "";
  let groups = 0;
  for (let i = 0; i < tokens.length; i++) {
    const next = tokens[i] === STAR ? tokens.indexOf(STAR, i + 1) : -1;
    const between = tokens.slice(i + 1, Math.max(next, 0));
    if (next === -1 || between.some((token) => /^(?:\\?\/|\(\?:|\)|\||\[\^\][*+])/.test(token))) {
      source += tokens[i];
    } else {
      // A look-ahead is never entered twice: this is how JavaScript spells an atomic group.
      source += `(?=(?<s${++groups}>${STAR}?${between.join("")}))\\k<s${groups}>`;
      i = next - 1;
    }
  }
  return source;
}

/** A run of stars from `start` to `end`: only a `**` that fills a whole path part crosses folders. */
function stars(glob: string, start: number, end: number): readonly [string, number] {
  const opens = start === 0 || glob.charAt(start - 1) === "/";
  if (end - start < 2 || !opens) return [STAR, end];
  if (glob.charAt(end) === "/") return ["(?:[^/]+/)*", end + 1];
  return end === glob.length ? [start === 0 ? "[^]*" : "[^]+", end] : [STAR, end];
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
      return { source: isValid(source) ? source : "(?!)", end: i + 1 };
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

function isValid(source: string): boolean {
  try {
    return new RegExp(source, "u") !== undefined;
  } catch {
    return false;
  }
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
