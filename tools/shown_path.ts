/** What a file name may hold although it would steer a terminal, end a line or hide itself. */
// deno-lint-ignore no-control-regex -- naming control characters is the point
const UNSAFE = /[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Longest path shown whole, in UTF-16 units: PATH_MAX and a little for escapes. */
const MAX_UNITS = 4200;

/** A path for one line of text: relative inside `root`, and quoted with `\u` escapes when it holds control characters. */
export function shownPath(path: string, root?: string): string {
  const short = root !== undefined && root !== "/" && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
  const safe = short.replace(UNSAFE, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const cut = safe.length > MAX_UNITS ? `${safe.slice(0, MAX_UNITS).toWellFormed()}…` : safe;
  return safe === short ? cut : `"${cut}"`;
}
