import type { CustomEntry, NewEntry, SessionEntry } from "../core/session.ts";

/** The memory of a long conversation, as the session keeps it (R316). */
export interface StoredSummary {
  readonly summary: string;
  /** The newest entry that the summary speaks of; what comes after it is sent as it was. */
  readonly coveredThrough: string;
}

/** `customType` of its entries. */
const TYPE = "rolling_summary";

/** The entry that stores a summary. */
export function rollingEntry({ summary, coveredThrough }: StoredSummary): NewEntry<CustomEntry> {
  return { type: "custom", customType: TYPE, data: { version: 1, summary, coveredThrough } };
}

/** The newest summary of a path (R317); entries that do not look like one are passed over. */
export function storedSummary(path: readonly SessionEntry[]): StoredSummary | undefined {
  for (const entry of path.toReversed()) {
    const summary = entry.type === "custom" && entry.customType === TYPE ? read(entry.data) : undefined;
    if (summary && path.some(({ id }) => id === summary.coveredThrough)) return summary;
  }
  return undefined;
}

/** Index of the first message that a summary does not cover (R318). */
export function uncoveredFrom(
  { coveredThrough }: StoredSummary,
  path: readonly SessionEntry[],
  entryIds: readonly string[],
): number {
  const covered = new Set(path.slice(0, path.findIndex(({ id }) => id === coveredThrough) + 1).map(({ id }) => id));
  const index = entryIds.findIndex((id) => !covered.has(id));
  return index < 0 ? entryIds.length : index;
}

/** The file may have been written by anybody. */
function read(data: unknown): StoredSummary | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  if (!("summary" in data) || !("coveredThrough" in data)) return undefined;
  const { summary, coveredThrough } = data;
  if (typeof summary !== "string" || typeof coveredThrough !== "string") return undefined;
  return { summary, coveredThrough };
}
