/** What a file name may hold although it would steer a terminal, end a line or hide itself. */
// deno-lint-ignore no-control-regex -- naming control characters is the point
const UNSAFE = /[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Longest path shown whole, in UTF-16 units: PATH_MAX and a little for escapes. */
const MAX_UNITS = 4200;

/** A byte that is no UTF-8, as `decodeLossless` gives it: a surrogate that stands alone. */
const STRAY_BYTE = /[\udc80-\udcff]/gu;

/**
 * A path for one line of text: relative inside `root`, and quoted where it holds what cannot be shown: `\u` and four digits
 * for control characters, `\x` and two for bytes that are no UTF-8.
 */
export function shownPath(path: string, root?: string): string {
  const short = root !== undefined && root !== "/" && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
  const safe = short
    .replace(UNSAFE, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .replace(STRAY_BYTE, (unit) => `\\x${(unit.charCodeAt(0) - 0xdc00).toString(16)}`);
  const cut = safe.length > MAX_UNITS ? `${safe.slice(0, MAX_UNITS).toWellFormed()}…` : safe;
  return safe === short ? cut : `"${cut}"`;
}
