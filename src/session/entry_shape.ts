import type { AgentMessage } from "../core/message.ts";
import type { SessionEntry } from "../core/session.ts";
import {
  type Fields,
  isFlag,
  isNumber,
  isObject,
  isText,
  keepOnly,
  mendUsage,
  readContent,
  readParts,
} from "./shape.ts";

/** Put before the type of an entry whose type is known and whose fields make no sense, so that nobody relies on them. */
const UNREADABLE = "unreadable:";

/** Put before the type of a message that holds the system prompt of the program that wrote it, for example pi. */
const SYSTEM_PROMPT = "system-prompt:";

/** Whether an entry holds the system prompt of another program: it stays in the session and is never sent. */
export function isSystemPrompt({ type }: { readonly type: string }): boolean {
  return type.startsWith(SYSTEM_PROMPT);
}

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
  // Other programs keep their system prompt as a message; it is no part of the conversation here (R330).
  const isSystem = isObject(fields["message"]) && fields["message"]["role"] === "system";
  fields["type"] = (isSystem ? SYSTEM_PROMPT : UNREADABLE) + String(fields["type"]);
  return { entry, isDamaged: !isSystem };
}

/** The line of a file for an entry, without its newline. Throws for data that JSON cannot carry. */
export function entryLine(entry: SessionEntry): string {
  const type: string = entry.type;
  const prefix = [UNREADABLE, SYSTEM_PROMPT].find((one) => type.startsWith(one));
  return JSON.stringify(prefix === undefined ? entry : { ...entry, type: type.slice(prefix.length) });
}

function readMessageEntry(entry: Fields, time: number): boolean {
  const message = readMessage(entry["message"], time);
  if (message !== undefined) entry["message"] = message;
  return message !== undefined;
}

function readCompaction(entry: Fields): boolean {
  if (!isNumber(entry["tokensBefore"])) entry["tokensBefore"] = 0;
  keepOnly(entry, "tokensAfter", isNumber);
  return readSummary(entry) && isText(entry["firstKeptEntryId"]);
}

function readBranchSummary(entry: Fields): boolean {
  return readSummary(entry) && isText(entry["fromId"]);
}

function readSummary(entry: Fields): boolean {
  keepOnly(entry, "details", isObject);
  keepOnly(entry, "fromHook", isFlag);
  mendUsage(entry);
  return isText(entry["summary"]);
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

const STOP_REASONS: ReadonlySet<unknown> = new Set(["stop", "length", "toolUse", "error", "aborted"]);

/** Wire names of reasoning, which pi keeps under another key. */
const THINKING_FIELDS: ReadonlySet<unknown> = new Set(["reasoning_content", "reasoning", "reasoning_text"]);

/** One reader for each role: brings the fields into order and tells whether they make a message. */
const MESSAGE_READERS: ReadonlyMap<unknown, (message: Fields) => boolean> = new Map([
  ["user", readText],
  ["assistant", readAssistant],
  ["toolResult", readToolResult],
  ["custom", readCustom],
  ["bashExecution", readBashExecution],
  ["compactionSummary", readCompactionSummary],
  ["branchSummary", readBranchMessage],
]);

/**
 * A stored message with every field checked; undefined when it is none.
 *
 * Changes the object it is given: content that is missing becomes empty, parts and optional fields that are not what
 * they should be are left out. `time` stands in for a missing timestamp, in milliseconds.
 */
function readMessage(value: unknown, time: number): AgentMessage | undefined {
  if (!isObject(value) || !MESSAGE_READERS.get(value["role"])?.(value)) return undefined;
  if (!isNumber(value["timestamp"])) value["timestamp"] = time;
  return value as unknown as AgentMessage; // its role's reader has looked at every field
}

function readText(message: Fields): boolean {
  message["content"] = readContent(message["content"]);
  return message["content"] !== undefined;
}

function readAssistant(message: Fields): boolean {
  const { content } = message;
  if (typeof content === "string") message["content"] = [{ type: "text", text: content }];
  else if (content === null || content === undefined) message["content"] = [];
  else if (!Array.isArray(content)) return false;
  else if (!content.every(isAssistantPart)) message["content"] = content.filter(isAssistantPart);
  for (const key of ["provider", "model"]) if (!isText(message[key])) message[key] = "";
  if (!STOP_REASONS.has(message["stopReason"])) message["stopReason"] = "stop";
  mendUsage(message);
  keepOnly(message, "failure", isFailure);
  keepOnly(message, "errorMessage", isText);
  keepOnly(message, "keep", isObject);
  return true;
}

function isAssistantPart(part: unknown): boolean {
  if (!isObject(part)) return false;
  switch (part["type"]) {
    case "text":
      return isText(part["text"]);
    case "thinking":
      if (part["field"] === undefined && THINKING_FIELDS.has(part["thinkingSignature"])) {
        part["field"] = part["thinkingSignature"];
      }
      keepOnly(part, "field", isText);
      return isText(part["thinking"]);
    case "toolCall":
      if (!isObject(part["arguments"])) part["arguments"] = {};
      keepOnly(part, "refused", (value) => isObject(value) && isText(value["reason"]) && isText(value["raw"]));
      return isText(part["id"]) && isText(part["name"]);
    default:
      return false;
  }
}

function isFailure(value: unknown): boolean {
  return isObject(value) && isText(value["kind"]) && isText(value["message"]) && isFlag(value["retry"]);
}

function readToolResult(message: Fields): boolean {
  const content = readContent(message["content"]);
  if (content === undefined || !isText(message["toolCallId"])) return false;
  if (typeof content === "string") {
    message["content"] = readParts(content === "" ? [] : [{ type: "text", text: content }]);
  } else message["content"] = content;
  if (!isText(message["toolName"])) message["toolName"] = "";
  if (!isFlag(message["isError"])) message["isError"] = false;
  keepOnly(message, "details", isObject);
  return true;
}

/** Also for entries of the type `custom_message`, which have the same fields. */
function readCustom(message: Fields): boolean {
  if (!isFlag(message["display"])) message["display"] = true;
  keepOnly(message, "details", isObject);
  return readText(message) && isText(message["customType"]);
}

function readBashExecution(message: Fields): boolean {
  if (!isText(message["output"])) message["output"] = "";
  for (const key of ["cancelled", "truncated"]) if (!isFlag(message[key])) message[key] = false;
  keepOnly(message, "exitCode", isNumber);
  keepOnly(message, "fullOutputPath", isText);
  keepOnly(message, "excludeFromContext", isFlag);
  return isText(message["command"]);
}

function readCompactionSummary(message: Fields): boolean {
  if (!isNumber(message["tokensBefore"])) message["tokensBefore"] = 0;
  keepOnly(message, "tokensAfter", isNumber);
  return isText(message["summary"]);
}

function readBranchMessage(message: Fields): boolean {
  if (!isText(message["fromId"])) message["fromId"] = "";
  return isText(message["summary"]);
}
