import type { SessionEntry } from "../core/session.ts";
import { readCustom, readMessage } from "./message_shape.ts";
import { type Fields, isFlag, isNumber, isObject, isText, keepOnly, mendUsage, readContent } from "./shape.ts";

/** Put before the type of an entry whose type is known and whose fields make no sense, so that nobody relies on them. */
const UNREADABLE = "unreadable:";

/** One reader for each type: brings the fields into order and tells whether they can be relied on. */
const READERS: ReadonlyMap<unknown, (entry: Fields, time: number) => boolean> = new Map([
  ["message", readMessageEntry],
  ["model_change", (entry: Fields) => isText(entry["provider"]) && isText(entry["modelId"])],
  ["thinking_level_change", (entry: Fields) => isText(entry["thinkingLevel"])],
  ["compaction", readCompaction],
  ["branch_summary", readBranchSummary],
  ["custom", (entry: Fields) => isText(entry["customType"])],
  ["custom_message", readCustom],
  ["label", readLabel],
  ["session_info", (entry: Fields) => isText(entry["name"])],
  ["context_edit", readContextEdit],
]);

/** An entry with its place in the tree; `isDamaged` when its type is known and its fields are not what they must be. */
export interface ReadEntry {
  readonly entry: SessionEntry;
  readonly isDamaged: boolean;
}

/**
 * Checks an entry's own fields, in place; its `id`, `parentId` and `timestamp`, which is `time`, have been checked.
 *
 * A type from the future, and what cannot be relied on, stays in the tree under a type that nobody looks for: what
 * follows it would hang in the air otherwise.
 */
export function readEntry(fields: Fields, time: number): ReadEntry {
  // Every field of a known type is looked at before anybody gets it; of other types only the place in the tree is used.
  const entry = fields as unknown as SessionEntry;
  const reader = READERS.get(fields["type"]);
  if (reader === undefined || reader(fields, time)) return { entry, isDamaged: false };
  fields["type"] = UNREADABLE + String(fields["type"]);
  // Other programs keep their system prompt as a message; it is no part of the conversation here (R330).
  const isSystem = isObject(fields["message"]) && fields["message"]["role"] === "system";
  return { entry, isDamaged: !isSystem };
}

/** The line of a file for an entry, without its newline. Throws for data that JSON cannot carry. */
export function entryLine(entry: SessionEntry): string {
  const type: string = entry.type;
  return JSON.stringify(type.startsWith(UNREADABLE) ? { ...entry, type: type.slice(UNREADABLE.length) } : entry);
}

function readMessageEntry(entry: Fields, time: number): boolean {
  const message = readMessage(entry["message"], time);
  if (message !== undefined) entry["message"] = message;
  return message !== undefined;
}

function readCompaction(entry: Fields): boolean {
  if (!isNumber(entry["tokensBefore"])) entry["tokensBefore"] = 0;
  keepOnly(entry, "details", isObject);
  keepOnly(entry, "fromHook", isFlag);
  mendUsage(entry);
  return isText(entry["summary"]) && isText(entry["firstKeptEntryId"]);
}

function readBranchSummary(entry: Fields): boolean {
  keepOnly(entry, "details", isObject);
  keepOnly(entry, "fromHook", isFlag);
  mendUsage(entry);
  return isText(entry["summary"]) && isText(entry["fromId"]);
}

function readLabel(entry: Fields): boolean {
  keepOnly(entry, "label", isText);
  return isText(entry["targetId"]);
}

function readContextEdit(entry: Fields): boolean {
  const { replacement } = entry;
  if (!isText(entry["targetId"])) return false;
  if (replacement === null) return true;
  if (!isObject(replacement)) return false;
  const content = replacement["content"] ?? undefined;
  replacement["content"] = content === undefined ? undefined : readContent(content);
  return replacement["content"] !== undefined;
}
