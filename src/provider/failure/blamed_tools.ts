/** Places of tools as servers write them, counted from 0. The first pattern that fits counts: Gemini's lists are nested. */
const PLACES: readonly RegExp[] = [
  /\bfunction_?declarations?\W{1,6}(\d+)/gi,
  /\b(?:tools|functions)["']?\s*(?:\[|\.|\/|->|→|,)\s*["']?(\d+)\b/gi,
  /\b(?:tool|function)\s+(?:definition\s+|declaration\s+|schema\s+)?(?:at\s+)?(?:(?:index|number|no\.?|position)\s*:?\s*)?#?(\d+)\b/gi,
];

/** A place counted from 1: "the 3rd tool". */
const ORDINAL = /\b(\d+)(?:st|nd|rd|th)\s+(?:tool|function)\b/gi;

/** The tools of a request, by name in their order, that a server's answer names or gives the place of. */
export function blamedTools(said: string, names: readonly string[]): readonly string[] {
  const named = names.filter((name) => isNamed(name, said));
  if (named.length > 0) return named;
  for (const pattern of PLACES) {
    const found = at(said, pattern, 0, names);
    if (found.length > 0) return found;
  }
  return at(said, ORDINAL, 1, names);
}

function at(said: string, pattern: RegExp, first: number, names: readonly string[]): readonly string[] {
  const found = [...said.matchAll(pattern)].flatMap(([, digits]) => names[Number(digits) - first] ?? []);
  return [...new Set(found)];
}

/** A name that may be an ordinary word counts only in quotes or behind "tool" or "function". */
function isNamed(name: string, said: string): boolean {
  const word = name.replace(/[^\w-]/g, "\\$&");
  const before = name.includes("__") ? "(?<![\\w-])" : "(?:[\"'`]|\\b(?:tools?|functions?)[.:/ ]+)";
  return new RegExp(`${before}${word}(?![\\w-])`).test(said);
}
