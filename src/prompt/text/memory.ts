import type { MemorySnapshot } from "../../core/support/memory.ts";
import type { Rendered } from "../../core/prompt.ts";
import { countCharacters } from "../../core/support/text.ts";
import { oneLine } from "./clean.ts";
import { MEMORY } from "./text.ts";

/** Limits of the lasting facts (R404). */
const LASTING_ITEMS = 100;
const LASTING_CHARACTERS = 3_000;
const RECENT_ITEMS = 50;
const RECENT_DAYS = 7;

/** A snapshot as the memory section says it; without anything to say undefined (R402). */
export function memoryText(memory: MemorySnapshot): Rendered | undefined {
  const lasting = lastingOf(memory);
  const recent = recentOf(memory);
  if (lasting.length + recent.length === 0) return undefined;
  const offered = [...memory.longTerm ?? [], ...(memory.recent ?? []).map((note) => note.summary)];
  const lines = [
    MEMORY.introduction,
    ...lasting.length ? [MEMORY.longTerm, ...lasting] : [],
    ...recent.length ? [MEMORY.recent, ...recent] : [],
  ];
  const kept = countCharacters([...lasting, ...recent].join("\n"));
  const isCut = lasting.length + recent.length < offered.length;
  return {
    text: lines.join("\n"),
    sources: [{
      kind: "runtime",
      ref: "memory",
      status: isCut ? "truncated" : "loaded",
      chars: isCut ? Math.max(kept, countCharacters(offered.join("\n"))) : kept,
      kept,
    }],
  };
}

/** The newest facts that fit, in their own order: the oldest go first. */
function lastingOf({ longTerm = [] }: MemorySnapshot): readonly string[] {
  const kept: string[] = [];
  let left = LASTING_CHARACTERS;
  for (const fact of longTerm.slice(-LASTING_ITEMS).toReversed()) {
    const line = `- ${oneLine(fact)}`;
    left -= countCharacters(line) + 1;
    if (left < 0) break;
    if (line !== "- ") kept.unshift(line);
  }
  return kept;
}

/** Notes of the last days, newest first (R403). A note whose date makes no sense is left out. */
function recentOf({ recent = [], today, maxItems = RECENT_ITEMS, days = RECENT_DAYS }: MemorySnapshot): string[] {
  const end = dayOf(today);
  return recent.map((note) => ({ ...note, day: dayOf(note.date), summary: oneLine(note.summary) }))
    .filter(({ day, summary }) => day <= end && day > end - days && summary !== "")
    .sort((a, b) => b.day - a.day)
    .slice(0, maxItems)
    .map(({ date, summary, path }) => `- ${date}: ${summary}${path ? ` (${oneLine(path)})` : ""}`);
}

/** Days since the epoch; NaN, which compares with nothing, for what is no date. */
function dayOf(date: string): number {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(date);
  if (!parts) return NaN;
  const [, year, month, day] = parts.map(Number);
  return daysFromCivil(year ?? 0, month ?? 0, day ?? 0);
}

/** Days of the Gregorian calendar since a fixed day: the compiler has no clock to ask. */
function daysFromCivil(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const shifted = (month + 9) % 12;
  return 365 * y + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400) + Math.floor((153 * shifted + 2) / 5) +
    day;
}
