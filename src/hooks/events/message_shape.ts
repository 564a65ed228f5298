import { isObject } from "../../core/json.ts";
import type { AgentMessage, ImageContent, TextContent } from "../../core/message.ts";
import type { CustomDraft } from "../../core/host_actions.ts";
import { isList } from "./json_text.ts";

const IMAGE_TYPE = /^image\/[\w.+-]+$/;

/** Whether a value is content of a message or of a tool's result. */
export function isContent(value: unknown): value is readonly (TextContent | ImageContent)[] {
  return isList(value) &&
    value.every((part) =>
      isObject(part) && (part["type"] === "text" ? typeof part["text"] === "string" : isImage(part))
    );
}

/** Whether a value is a list of images. */
export function isImages(value: unknown): value is readonly ImageContent[] {
  return isList(value) && value.every(isImage);
}

function isImage(part: unknown): boolean {
  return isObject(part) && part["type"] === "image" && typeof part["data"] === "string" &&
    typeof part["mimeType"] === "string" && IMAGE_TYPE.test(part["mimeType"]);
}

/** Whether a value is a text or content. */
export function isTextOrContent(value: unknown): value is string | readonly (TextContent | ImageContent)[] {
  return typeof value === "string" || isContent(value);
}

/** Whether a value is a message to be put into the conversation. */
export function isDraft(value: unknown): value is CustomDraft {
  return isObject(value) && typeof value["customType"] === "string" && isTextOrContent(value["content"]) &&
    typeof value["display"] === "boolean" && (value["details"] === undefined || isObject(value["details"]));
}

/** Whether a value is a message of the conversation, in every field that the program reads. */
export function isAgentMessage(value: unknown): value is AgentMessage {
  if (!isObject(value) || typeof value["timestamp"] !== "number") return false;
  const text = (key: string): boolean => typeof value[key] === "string";
  switch (value["role"]) {
    case "user":
      return isTextOrContent(value["content"]);
    case "assistant":
      return isList(value["content"]) && value["content"].every(isAssistantPart) && text("provider") && text("model") &&
        text("stopReason");
    case "toolResult":
      return isContent(value["content"]) && text("toolCallId") && text("toolName") &&
        typeof value["isError"] === "boolean";
    case "custom":
      return isDraft(value);
    case "bashExecution":
      return text("command") && text("output") && typeof value["cancelled"] === "boolean" &&
        typeof value["truncated"] === "boolean";
    case "compactionSummary":
      return text("summary") && typeof value["tokensBefore"] === "number";
    case "branchSummary":
      return text("summary") && text("fromId");
    default:
      return false;
  }
}

function isAssistantPart(part: unknown): boolean {
  if (!isObject(part)) return false;
  const text = (key: string): boolean => typeof part[key] === "string";
  switch (part["type"]) {
    case "text":
      return text("text");
    case "thinking":
      return text("thinking");
    case "toolCall":
      return text("id") && text("name") && isObject(part["arguments"]);
    default:
      return false;
  }
}
