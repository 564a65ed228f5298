import { countCharacters } from "../../core/support/text.ts";
import { clean, oneLine } from "../text/clean.ts";
import { type DynamicSection, type StableSection, whole } from "../text/section.ts";
import type { MemorySnapshot, PromptBlock, Rendered } from "../../core/prompt.ts";
import { MEMORY } from "../text/text.ts";
import { sha256 } from "../../core/support/digest.ts";

/** The caller's own rules as a list (R53). */
export const rules: StableSection = {
  id: "rules",
  title: "Rules",
  stability: "stable",
  profiles: ["full", "minimal"],
  budget: { total: 20_000 },
  render: ({ rules }) =>
    whole("caller", "rules", rules.map(oneLine).filter(Boolean).map((line) => `- ${line}`).join("\n")),
};

/** What the channel in use adds, and nothing of any other (R407, R408). */
export const channelAugment: DynamicSection = {
  id: "channel_augment",
  stability: "dynamic",
  profiles: ["full", "minimal"],
  budget: { total: 8_000 },
  render: ({ channel }) => channel && fromBlocks(channel.blocks, "runtime", oneLine(channel.name)),
};

/** What the loop wants done differently after a failure (R44). */
export const retryInstruction: DynamicSection = {
  id: "retry_instruction",
  title: "Retry Instruction",
  stability: "dynamic",
  isOfRound: true,
  profiles: ["full", "minimal"],
  budget: { total: 2_000 },
  render: ({ retryInstruction: text }) => text ? whole("caller", "retry_instruction", text) : undefined,
};

/** A text that the caller adds to this request; the program itself passes none (R48). */
export const dynamicContext: DynamicSection = {
  id: "dynamic_context",
  title: "Dynamic Context",
  stability: "dynamic",
  profiles: ["full"],
  budget: { total: 8_000 },
  render: ({ dynamicContext: text }) => text ? whole("caller", "dynamic_context", text) : undefined,
};

/** What earlier sessions left, after every other block (R401, R405). */
export const memorySummaries: DynamicSection = {
  id: "memory_summaries",
  title: "Memory",
  stability: "dynamic",
  profiles: ["full"],
  budget: { total: 8_000 },
  render: ({ memory }) => memory && memoryText(memory),
};

/** Limits of the lasting facts (R404). */
const LASTING_ITEMS = 100;
const LASTING_CHARACTERS = 3_000;
const RECENT_ITEMS = 50;
const RECENT_DAYS = 7;

/** A snapshot as the memory section says it; without anything to say undefined (R402). */
function memoryText(memory: MemorySnapshot): Rendered | undefined {
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

/** What an embedding program appended, in the order of appending (R50, R52). */
export const blocks: StableSection = {
  id: "blocks",
  stability: "stable",
  profiles: ["full"],
  budget: { total: 50_000 },
  render: (inputs) => fromBlocks(inputs.blocks ?? [], "caller", "blocks"),
};

/** Titled blocks in their order; one without content leaves nothing, one without title is called `Context`. */
function fromBlocks(list: readonly PromptBlock[], kind: "caller" | "runtime", ref: string): Rendered {
  const shown = list.map(({ title, content }) => ({ title: oneLine(title) || "Context", content: clean(content) }))
    .filter(({ content }) => content !== "");
  return {
    text: shown.map(({ title, content }) => `## ${title}\n${content}`).join("\n\n"),
    // By number and not by title: a manifest holds nothing of the prompt's text.
    sources: shown.map(({ content }, at) => {
      const chars = countCharacters(content);
      return { kind, ref: `${ref}:${at + 1}`, status: "loaded", chars, kept: chars, sha256: sha256(content) };
    }),
  };
}
