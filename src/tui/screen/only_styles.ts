/** Escape sequences that are no plain SGR, lone ESC, and every control that could move the cursor; tabs included. */
// deno-lint-ignore no-control-regex -- controls are what this is about
const UNWANTED = /\x1b(?!\[[0-9;]*m)|[\x00-\x1a\x1c-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/**
 * A line as the terminal may get it: colours and text, nothing else. The last guard behind `foreign.ts`, for a text that
 * took another way in.
 */
export function onlyStyles(line: string): string {
  return line.replace(UNWANTED, "");
}
