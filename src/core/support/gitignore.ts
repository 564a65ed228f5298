import { compileGlob } from "./glob.ts";

/** The rules of one ignore file, or of several read in order. */
export interface IgnoreRules {
  /**
   * Whether the last rule that matches excludes (`true`) or re-includes (`false`); undefined when none matches.
   *
   * `path` is relative to the folder of the ignore file, `name` its last part.
   */
  readonly decide: (path: string, name: string, isDirectory: boolean) => boolean | undefined;
}

interface Rule {
  readonly excludes: boolean;
  readonly folderOnly: boolean;
  readonly matches: (path: string, name: string) => boolean;
}

const MAGIC = /[*?[\\]/;

/** Reads the text of a `.gitignore` or `.ignore`; undefined when it holds no rule. Syntax: gitignore(5). */
export function parseIgnore(text: string): IgnoreRules | undefined {
  const rules = text.replace(/^\ufeff/, "").split("\n").flatMap((line) => parseRule(line) ?? []).reverse();
  if (rules.length === 0) return undefined;
  return {
    decide(path, name, isDirectory) {
      for (const rule of rules) {
        if ((isDirectory || !rule.folderOnly) && rule.matches(path, name)) return rule.excludes;
      }
      return undefined;
    },
  };
}

function parseRule(line: string): Rule | undefined {
  let pattern = trimEnd(line.replace(/\r$/, ""));
  if (pattern === "" || pattern.startsWith("#")) return undefined;
  const excludes = !pattern.startsWith("!");
  if (!excludes) pattern = pattern.slice(1);
  const folderOnly = pattern.endsWith("/");
  if (folderOnly) pattern = pattern.slice(0, -1);
  const anchored = pattern.includes("/");
  if (pattern.startsWith("/")) pattern = pattern.slice(1);
  return pattern === "" ? undefined : { excludes, folderOnly, matches: matcher(pattern, anchored) };
}

/** Most rules are a plain name or `*.ext`; a regular expression for those would cost several times as much per file. */
function matcher(pattern: string, anchored: boolean): Rule["matches"] {
  if (isBroken(pattern)) return () => false;
  if (!MAGIC.test(pattern)) return anchored ? (path) => path === pattern : (_path, name) => name === pattern;
  if (!anchored && /^\*[^*?[\\]+$/.test(pattern)) {
    const suffix = pattern.slice(1);
    return (_path, name) => name.endsWith(suffix);
  }
  const regex = compileGlob(pattern, { braces: false });
  return anchored ? (path) => regex.test(path) : (_path, name) => regex.test(name);
}

/** git lets a rule with an open `[` or a trailing backslash match nothing. */
function isBroken(pattern: string): boolean {
  let inSet = false;
  let setStart = 0;
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern.charAt(i);
    if (char === "\\") {
      if (++i >= pattern.length) return true;
    } else if (!inSet && char === "[") {
      inSet = true;
      setStart = /[!^]/.test(pattern.charAt(i + 1)) ? i + 2 : i + 1;
    } else if (inSet && char === "[" && pattern.charAt(i + 1) === ":") {
      const end = pattern.indexOf(":]", i + 2);
      if (end > 0) i = end + 1;
    } else if (inSet && char === "]" && i > setStart) inSet = false;
  }
  return inSet;
}

/** Spaces at the end do not count unless escaped. */
function trimEnd(line: string): string {
  let end = line.length;
  while (end > 0 && line.charAt(end - 1) === " ") {
    let slashes = 0;
    while (line.charAt(end - 2 - slashes) === "\\") slashes++;
    if (slashes % 2 === 1) break;
    end--;
  }
  return line.slice(0, end);
}
