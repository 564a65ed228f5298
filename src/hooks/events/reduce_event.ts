import { isObject, type JsonObject } from "../../core/json.ts";

/** An event as the next handler gets it, and whether there is a next handler. */
export interface Step {
  readonly event: JsonObject;
  readonly isDone: boolean;
}

/** Headers that carry credentials; extensions neither see nor set them. */
const CREDENTIALS = /^(?:proxy-)?authorization$|api-?key|token|secret|cookie/i;

/** Headers that count tokens of text, for example `x-ratelimit-remaining-tokens`. */
const COUNTS = /(?:^|-)ratelimit-(?:[a-z]+-)*tokens(?:-[a-z]+)*$/i;

/** Headers without those that carry credentials. */
export function publicHeaders<T>(headers: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => COUNTS.test(name) || !CREDENTIALS.test(name)),
  );
}

/**
 * What a checked result makes of an event: how handlers chain. Pure; the same on both sides of a worker, so that handlers
 * of one extension and those of several chain alike.
 */
export function advance(name: string, event: JsonObject, result: JsonObject): Step {
  const pass = (fields: JsonObject = {}): Step => ({ event: { ...event, ...fields }, isDone: false });
  const done: Step = { event, isDone: true };
  switch (name) {
    case "input":
      if (result["action"] === "handled") return done;
      return result["action"] === "transform" ? pass(pick(result, ["text", "images"])) : pass();
    case "before_agent_start":
      return pass(pick(result, ["systemPrompt"]));
    case "context":
      // Not by spreading: the messages of a context event may not have been read yet.
      return result["messages"] === undefined
        ? { event, isDone: false }
        : { event: { type: "context", messages: result["messages"] }, isDone: false };
    case "before_provider_request":
      return pass({ payload: result });
    case "before_provider_headers":
      return pass({ headers: { ...objectIn(event, "headers"), ...publicHeaders(objectIn(result, "headers")) } });
    case "tool_result":
      return pass(pick(result, ["content", "details", "isError"]));
    case "tool_call":
      return result["block"] === true ? done : pass();
    case "user_bash":
      return result["block"] === true || result["result"] !== undefined ? done : pass();
    case "session_before_compact":
      return result["cancel"] === true || result["compaction"] !== undefined ? done : pass();
    case "session_before_switch":
    case "session_before_fork":
    case "session_before_tree":
      return result["cancel"] === true ? done : pass();
    default:
      return pass();
  }
}

function objectIn(from: JsonObject, key: string): JsonObject {
  const value = from[key];
  return isObject(value) ? value : {};
}

function pick(from: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.flatMap((key) => from[key] === undefined ? [] : [[key, from[key]]]));
}
