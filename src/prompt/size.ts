import { countCharacters } from "../core/text.ts";

const WIDE = /[\ud800-\udbff]/;

/** Unicode characters of a text. The engine can tell at once that most texts hold nothing wide, and then nothing is counted. */
export function sizeOf(text: string): number {
  return WIDE.test(text) ? countCharacters(text) : text.length;
}
