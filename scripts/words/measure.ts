import { MARKERS } from "./markers.ts";
import type { ProseLine } from "./prose.ts";

/** One line that contains markers. */
export interface MarkedLine extends ProseLine {
  /** Sum of the weights of all markers in the line. */
  readonly weight: number;
  /** Identifiers of the markers. */
  readonly markers: readonly string[];
}

/** How readable the running text of a page is. */
export interface Readability {
  readonly sentences: number;
  /** Words per sentence. */
  readonly mean: number;
  /** Percentage of sentences with more than 30 words. */
  readonly over30: number;
  /** Relative pronouns, conditions and semicolons per 100 words. */
  readonly links: number;
}

/** Words that join clauses. */
const LINK = /\b(?:that|which|what|who|whose|whom|where|whoever|whatever|however|so that|unless|else|nor)\b|;/gi;
const LONG_SENTENCE = 30;

/** Returns the lines with markers. A marker may continue in the next line; it counts in the line where it begins. */
export function markedLines(lines: readonly ProseLine[]): readonly MarkedLine[] {
  return lines.flatMap(({ line, text }, index) => {
    const next = lines[index + 1];
    const continues = next?.line === line + 1 && !/^\s*[|#*-]/.test(next.text);
    const joined = continues ? `${text} ${next.text.split(/\s+/).filter(Boolean).slice(0, 4).join(" ")}` : text;
    let weight = 0;
    const markers: string[] = [];
    for (const marker of MARKERS) {
      const count = [...joined.matchAll(marker.pattern)].filter((match) => match.index < text.length).length;
      if (count === 0) continue;
      weight += marker.weight * count;
      markers.push(marker.id);
    }
    return weight === 0 ? [] : [{ line, text, weight, markers }];
  });
}

/** Returns the readability of a page's paragraphs and list items; undefined if it has no sentence. */
export function readabilityOf(lines: readonly ProseLine[]): Readability | undefined {
  const texts = sentencesOf(lines);
  if (texts.length === 0) return undefined;
  const lengths = texts.map((text) => text.match(/[A-Za-z][A-Za-z'’-]*/g)?.length ?? 0);
  const words = lengths.reduce((sum, length) => sum + length, 0);
  const links = texts.reduce((sum, text) => sum + (text.match(LINK)?.length ?? 0), 0);
  return {
    sentences: texts.length,
    mean: rounded(words / texts.length),
    over30: Math.round(100 * lengths.filter((length) => length > LONG_SENTENCE).length / texts.length),
    links: rounded(100 * links / words),
  };
}

function sentencesOf(lines: readonly ProseLine[]): readonly string[] {
  const blocks: string[] = [];
  let block = "";
  let last = 0;
  const close = (): void => {
    if (block !== "") blocks.push(block);
    block = "";
  };
  for (const { line, text } of lines) {
    const trimmed = text.trim();
    if (/^[#|]/.test(trimmed)) {
      close();
      continue;
    }
    const item = /^(?:[-*>]|\d+\.)\s+/.exec(trimmed)?.[0];
    if (item !== undefined || line > last + 1) close();
    block += ` ${trimmed.slice(item?.length ?? 0)}`;
    last = line;
  }
  close();
  return blocks.flatMap((text) => text.split(/(?<=[.!?:])\s+(?=[A-Z(“"'X])/)).map((text) => text.trim())
    .filter((text) => (text.match(/[A-Za-z]+/g)?.length ?? 0) >= 3);
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
