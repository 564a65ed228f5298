// Terminal controls in a file's content are shown to the model as symbols: nothing downstream can be steered by them,
// the text keeps its shape, and edit finds `␛[31m` where the file has the real sequence.

// deno-lint-ignore no-control-regex -- naming control characters is the point
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

/** What `visibleControls` makes of a control. */
const SYMBOLS = /[\u2400-\u2421]|<U\+(?:00[89]|20[26])[0-9A-F]>/g;

/** Whether a text holds controls other than tab and newline. */
export function hasControls(text: string): boolean {
  return text.search(CONTROLS) !== -1;
}

/** The text with C0 controls as Unicode's pictures of them, C1 and bidirectional ones as `<U+202E>`. */
export function visibleControls(text: string): string {
  return text.replace(CONTROLS, symbolOf);
}

/** Undoes `visibleControls` in `text` for those controls that `original` really holds. */
export function restoreControls(text: string, original: string): string {
  const held = new Map((original.match(CONTROLS) ?? []).map((control) => [symbolOf(control), control]));
  return held.size === 0 ? text : text.replace(SYMBOLS, (symbol) => held.get(symbol) ?? symbol);
}

function symbolOf(control: string): string {
  const code = control.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "\u2421" : `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}
