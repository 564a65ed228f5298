import { isObject } from "../../core/json.ts";
import type { ToolResult } from "../../core/tool_result.ts";
import type { HandlerOutcome } from "./extension.ts";
import { isList, readJson } from "./json_text.ts";
import { isContent } from "./message_shape.ts";

/** Longest error that is kept of what an extension says, UTF-16 units. */
const ERROR_UNITS = 2000;

/** What a registry's `emit` gave; throws for any other text. */
export function readOutcomes(text: string): readonly HandlerOutcome[] {
  const value = readJson(text);
  if (!isList(value)) throw new Error("it answered an event with something else than a list");
  return value.map((outcome): HandlerOutcome => {
    if (isObject(outcome) && outcome["ok"] === true) return { ok: true, value: outcome["value"] };
    const error = isObject(outcome) ? outcome["error"] : undefined;
    if (typeof error === "string") return { ok: false, error: error.slice(0, ERROR_UNITS) };
    throw new Error("it answered an event with something that is no outcome");
  });
}

/** A tool's result from its JSON text; throws for any other text. */
export function readToolResult(text: string): ToolResult {
  const value = readJson(text);
  const { content, details, isError } = isObject(value) ? value : {};
  if (!isContent(content)) throw new Error("a tool's result needs content: a list of text and image parts");
  if (details !== undefined && !isObject(details)) throw new Error("details of a tool's result must be an object");
  if (isError !== undefined && typeof isError !== "boolean") throw new Error("isError must be true or false");
  return {
    content: content.map((part) =>
      part.type === "text"
        ? { type: part.type, text: part.text }
        : { type: part.type, data: part.data, mimeType: part.mimeType }
    ),
    ...(details === undefined ? {} : { details }),
    ...(isError === undefined ? {} : { isError }),
  };
}
