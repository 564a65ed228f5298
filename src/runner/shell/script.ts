/** Enough for the first line of any script. */
export const HEAD_BYTES = 128;

/**
 * Whether a file with this beginning is a shell script: one that says so, or text that names no interpreter.
 *
 * The in-process shell takes every executable file for one, and would run Python or machine code as if it were.
 */
export function isShellScript(head: Uint8Array): boolean {
  if (head.includes(0)) return false;
  const [first = ""] = new TextDecoder().decode(head).split("\n", 1);
  return !first.startsWith("#!") || /^#!\s*\S*\/(?:env\s+(?:-S\s+)?)?(?:ba|da|a|k|z)?sh(?:\s|$)/.test(first);
}
