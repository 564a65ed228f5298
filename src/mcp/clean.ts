import { stripControls, takeCharacters } from "../core/support/text.ts";

/**
 * Characters that nobody sees and a model reads all the same: formatting, private use, tags, lone halves of pairs. What a
 * server writes there is meant to be hidden from the person who looks at the text.
 */
const UNSEEN = /[\p{Cf}\p{Co}\p{Cs}\u2800\u3164\u115f\u1160\uffa0]|\p{Variation_Selector}{2,}/gu;

/** A server's text as people see it, at most `limit` Unicode characters. */
export function cleanText(text: string, limit: number): string {
  // Cut first as well: what is thrown away need not be looked at. Nothing grows by cleaning.
  const clean = stripControls(text.slice(0, limit * 4)).replace(UNSEEN, "");
  const kept = takeCharacters(clean, limit);
  return kept.length < clean.length || text.length > limit * 4 ? `${kept}…` : kept;
}

/** The same on one line, for notices. */
export function cleanLine(text: string, limit = 300): string {
  return cleanText(text, limit).replace(/\s+/g, " ").trim();
}
