// Servers should repeat structured content as text, for programs that look at nothing else. Not all do, and what they leave
// out would be lost; what they do repeat would be paid for twice.

/** Values that are looked for, and how much text they are looked for in, characters: far more than is shown. */
const MOST_VALUES = 200;
const MOST_TEXT = 1024 * 1024;
/** Shorter ones are anywhere. */
const SHORTEST = 3;

/** JSON text of structured content that the texts beside it do not hold already; undefined where there is nothing to add. */
export function unsaid(structured: unknown, texts: readonly string[]): string | undefined {
  if (structured === undefined || structured === null) return undefined;
  const json = JSON.stringify(structured);
  if (texts.length === 0) return json;
  const text = texts.join("\n").slice(0, MOST_TEXT);
  const values = leavesOf(structured);
  // Text within JSON text has its quotes and line ends escaped.
  const isSaid = (value: string): boolean => text.includes(value) || text.includes(JSON.stringify(value).slice(1, -1));
  const isCovered = values.length > 0 && values.length <= MOST_VALUES && values.every(isSaid);
  return isCovered || sameAsAny(structured, texts) ? undefined : json;
}

/** Texts and numbers in it that tell something; one more than are looked for. */
function leavesOf(value: unknown, found: string[] = []): readonly string[] {
  if (found.length > MOST_VALUES) return found;
  if (typeof value === "string" || typeof value === "number") {
    const text = String(value);
    if (text.length >= SHORTEST) found.push(text);
  } else if (typeof value === "object" && value !== null) {
    for (const item of Object.values(value)) leavesOf(item, found);
  }
  return found;
}

/** Whether a text is the same JSON, or that of the only value in it, which is how some libraries wrap what is no object. */
function sameAsAny(structured: unknown, texts: readonly string[]): boolean {
  const only = typeof structured === "object" && structured !== null ? Object.values(structured) : [];
  const wanted = [structured, ...(only.length === 1 ? only : [])].map((value) => JSON.stringify(value));
  return texts.some((text) => {
    try {
      return wanted.includes(JSON.stringify(JSON.parse(text)));
    } catch {
      return false;
    }
  });
}
