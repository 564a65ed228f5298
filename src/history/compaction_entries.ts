import type { CompactionEntry, SessionEntry } from "../core/session.ts";

/** Entries beside the conversation: after a compaction they change nothing about what there is to shorten. */
const BESIDE: ReadonlySet<string> = new Set([
  "model_change",
  "thinking_level_change",
  "custom",
  "label",
  "session_info",
]);

/** The newest compaction of a path, if there is one. */
export function lastCompaction(path: readonly SessionEntry[]): CompactionEntry | undefined {
  return path.findLast((entry) => entry.type === "compaction");
}

/** Whether nothing was said since the newest compaction. */
export function endsWithCompaction(path: readonly SessionEntry[]): boolean {
  return path.findLast((entry) => !BESIDE.has(entry.type))?.type === "compaction";
}

/** Index of the first message that came after the newest compaction: older ones tell usages of a context that is gone. */
export function freshFrom(path: readonly SessionEntry[], entryIds: readonly string[]): number {
  const at = path.findLastIndex((entry) => entry.type === "compaction");
  if (at < 0) return 0;
  const after = new Set(path.slice(at + 1).map((entry) => entry.id));
  const index = entryIds.findIndex((id) => after.has(id));
  return index < 0 ? entryIds.length : index;
}
