import { stripControls, stripUnseen, takeCharacters } from "../core/support/text.ts";

/** A server's text as people see it, at most `limit` Unicode characters. */
export function cleanText(text: string, limit: number): string {
  // Cut first as well: what is thrown away need not be looked at. Nothing grows by cleaning.
  const clean = stripUnseen(stripControls(text.slice(0, limit * 4)));
  const kept = takeCharacters(clean, limit);
  return kept.length < clean.length || text.length > limit * 4 ? `${kept}…` : kept;
}

/** The same on one line, for notices. */
export function cleanLine(text: string, limit = 300): string {
  return cleanText(text, limit).replace(/\s+/g, " ").trim();
}
