/** Characters that look like others, by their code; `read` shows them as they are, and nobody sees the difference. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ["\u00a0", "no-break spaces"],
  ["\u2007", "figure spaces"],
  ["\u2009", "thin spaces"],
  ["\u202f", "narrow no-break spaces"],
  ["\u3000", "ideographic spaces"],
  ["\u2010", "hyphens"],
  ["\u2011", "non-breaking hyphens"],
  ["\u2013", "en dashes"],
  ["\u2014", "em dashes"],
  ["\u2212", "minus signs"],
  ["\u2018", "left single quotes"],
  ["\u2019", "right single quotes"],
  ["\u201c", "left double quotes"],
  ["\u201d", "right double quotes"],
]);

/** What must be written as an escape: spaces but the usual one, marks, and characters without a shape. */
const UNSEEN = /[^\P{Z} ]|[\p{M}\p{Cf}]/gu;

/**
 * Names how two texts differ that look the same: one clause each, for example `has no-break spaces (U+00A0)`. Empty if the
 * difference is something else.
 *
 * @param there the text in the file
 * @param old the text that was looked for
 */
export function differencesOf(there: string, old: string): readonly string[] {
  const clauses = new Set<string>();
  for (const character of new Set(there)) {
    const name = NAMES.get(character);
    if (name !== undefined && !old.includes(character)) clauses.add(`has ${name} (${codeOf(character)})`);
  }
  for (const character of new Set(old)) {
    const name = NAMES.get(character);
    if (name !== undefined && !there.includes(character)) clauses.add(`has no ${name} (${codeOf(character)})`);
  }
  const [isOpen, wasOpen] = [isDecomposed(there), isDecomposed(old)];
  if (isOpen && !wasOpen) clauses.add("has letters and their accents as separate characters (NFD)");
  if (wasOpen && !isOpen) clauses.add("has letters with their accents as one character (NFC)");
  return [...clauses];
}

/** A text as JSON in which every character that cannot be seen, or that changes the one before it, is an escape. */
export function visibleJson(text: string): string {
  return JSON.stringify(text).replace(UNSEEN, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""));
}

function isDecomposed(text: string): boolean {
  return text.normalize("NFC") !== text;
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
