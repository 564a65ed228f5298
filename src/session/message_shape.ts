import type { AgentMessage } from "../core/message.ts";
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

const STOP_REASONS: ReadonlySet<unknown> = new Set(["stop", "length", "toolUse", "error", "aborted"]);

/** Wire names of reasoning, which pi keeps under another key. */
const THINKING_FIELDS: ReadonlySet<unknown> = new Set(["reasoning_content", "reasoning", "reasoning_text"]);

/** One reader for each role: brings the fields into order and tells whether they make a message. */
const READERS: ReadonlyMap<unknown, (message: Fields) => boolean> = new Map([
  ["user", readText],
  ["assistant", readAssistant],
  ["toolResult", readToolResult],
  ["custom", readCustom],
  ["bashExecution", readBashExecution],
  ["compactionSummary", readCompactionSummary],
  ["branchSummary", readBranchSummary],
]);

/**
 * A stored message with every field checked; undefined when it is none.
 *
 * Changes the object it is given: content that is missing becomes empty, parts and optional fields that are not what
 * they should be are left out. `time` stands in for a missing timestamp, in milliseconds.
 */
export function readMessage(value: unknown, time: number): AgentMessage | undefined {
  if (!isObject(value) || !READERS.get(value["role"])?.(value)) return undefined;
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
export function readCustom(message: Fields): boolean {
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
  return isText(message["summary"]);
}

function readBranchSummary(message: Fields): boolean {
  if (!isText(message["fromId"])) message["fromId"] = "";
  return isText(message["summary"]);
}
