import { isAbsolute, normalize, relative } from "@std/path";

/** Most alternatives that the braces of one pattern may make. */
const MAX_ALTERNATIVES = 64;
/** Most paths that are taken from one text. */
const MAX_PATHS = 200;

/**
 * Whether a pattern of a skill's `paths` takes in a path (R129). Both are relative to the workspace, with `/`.
 *
 * `*` and `?` stay within a name, `**` stands for any number of folders, `{a,b}` for either. A pattern without `/` is
 * one for names in any folder. Takes time in proportion to both lengths, whatever the pattern.
 */
export function matchesPath(pattern: string, path: string): boolean {
  const plain = pattern.replace(/^(?:\.?\/)+/, "").replace(/\/$/, "/**");
  const parts = path.split("/");
  return alternatives(plain).some((one) => {
    const wanted = one.includes("/") ? one.split("/") : ["**", one];
    return matchesAll(wanted, parts, "**", (want, part) => matchesAll([...want], [...part], "*", matchesChar));
  });
}

function matchesChar(want: string, char: string): boolean {
  return want === "?" || want === char;
}

/** Matches a sequence where `any` in the pattern stands for any number of items; only the last such has to be tried again. */
function matchesAll(
  pattern: readonly string[],
  items: readonly string[],
  any: string,
  matches: (want: string, item: string) => boolean,
): boolean {
  let p = 0, resume = -1, taken = 0;
  for (let i = 0; i < items.length;) {
    const want = pattern[p];
    if (want === any) resume = ++p, taken = i;
    else if (want !== undefined && matches(want, items[i] ?? "")) p++, i++;
    else if (resume >= 0) p = resume, i = ++taken;
    else return false;
  }
  while (pattern[p] === any) p++;
  return p === pattern.length;
}

/** The patterns that braces stand for; without nesting, and none beyond a limit. */
function alternatives(pattern: string): readonly string[] {
  let made = [""];
  for (const [, text = "", choice] of pattern.matchAll(/([^{]+)|\{([^{}]*)\}|\{/g)) {
    const next = choice === undefined ? [text || "{"] : choice.split(",");
    made = made.flatMap((start) => next.map((end) => start + end)).slice(0, MAX_ALTERNATIVES);
  }
  return made;
}

/** Words of a text that look like files of the workspace, relative to it, each once. */
export function pathsIn(text: string, root: string): readonly string[] {
  const found = new Set<string>();
  for (const word of text.split(/[\s"'`()<>\[\]|]+/)) {
    const path = word.replace(/^@/, "").replace(/(?::\d+)*[.,;:!?]*$/, "");
    if (!(path.includes("/") || /\.[A-Za-z0-9]{1,8}$/.test(path)) || path.includes("://")) continue;
    const inside = insideOf(path, root);
    if (inside !== undefined) found.add(inside);
    if (found.size >= MAX_PATHS) break;
  }
  return [...found];
}

/** A path relative to the workspace; undefined for one outside it and for the workspace itself. */
export function insideOf(path: string, root: string): string | undefined {
  const plain = normalize(isAbsolute(path) ? relative(root, path) : path).replace(/\/$/, "");
  return plain === "." || plain === ".." || plain.startsWith("../") || isAbsolute(plain) ? undefined : plain;
}
