import type { DecisionName } from "../../core/hook_events.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { isList, isTexts } from "./json_text.ts";
import { isAgentMessage, isContent, isDraft, isImages } from "./message_shape.ts";

/** Whether a field has the right shape; absent fields are never asked about. */
type Check = (value: JsonValue) => boolean;

const flag: Check = (value) => typeof value === "boolean";
const text: Check = (value) => typeof value === "string";
const count: Check = (value) => typeof value === "number" && Number.isFinite(value);

/** An object with these fields, the first `required` of them not to be left out. Unknown fields are ignored. */
const object = (fields: Readonly<Record<string, Check>>, required = 0): Check => (value) =>
  isObject(value) && Object.entries(fields).every(([key, check], index) => {
    const field = Object.hasOwn(value, key) ? value[key] : undefined;
    return field === undefined ? index >= required : check(field);
  });

const headers: Check = (value) =>
  isObject(value) &&
  Object.entries(value).every(([name, item]) =>
    /^[\w!#$%&'*+.^`|~-]+$/.test(name) && (item === null || (typeof item === "string" && !/[\r\n\0]/.test(item)))
  );

const RESULTS: { readonly [N in DecisionName]: Check } = {
  input: (value) =>
    isObject(value) && (value["action"] === "continue" || value["action"] === "handled" ||
      (value["action"] === "transform" && object({ text, images: isImages }, 1)(value))),
  before_agent_start: object({ systemPrompt: text, message: isDraft }),
  context: object({ messages: (value) => isList(value) && value.every(isAgentMessage) }),
  before_provider_request: isObject,
  before_provider_headers: object({ headers }),
  tool_call: object({ block: flag, reason: text }),
  tool_result: object({ content: isContent, details: isObject, isError: flag }),
  user_bash: object({
    block: flag,
    reason: text,
    result: object({ output: text, exitCode: count, cancelled: flag, truncated: flag }, 1),
  }),
  resources_discover: object({ skillPaths: isTexts, promptPaths: isTexts, themePaths: isTexts }),
  session_before_switch: object({ cancel: flag }),
  session_before_fork: object({ cancel: flag, skipConversationRestore: flag }),
  session_before_compact: object({
    cancel: flag,
    compaction: object({ summary: text, firstKeptEntryId: text, tokensBefore: count, details: isObject }, 3),
  }),
  session_before_tree: object({
    cancel: flag,
    summary: object({ summary: text, details: isObject }, 1),
    customInstructions: text,
    replaceInstructions: flag,
    label: text,
  }),
};

/**
 * What a handler of an event returned, checked: undefined for nothing and for events that only tell.
 *
 * Throws with a sentence for the extension's author when the shape is wrong.
 */
export function readResult(name: string, value: JsonValue | undefined): JsonObject | undefined {
  const check = Object.hasOwn(RESULTS, name) ? RESULTS[name as DecisionName] : undefined; // own key: a decision's name
  if (!check || value === undefined || value === null) return undefined;
  // Every check above passes objects only.
  if (check(value)) return value as JsonObject;
  throw new Error(`its ${name} handler returned something that is no result of this event`);
}
