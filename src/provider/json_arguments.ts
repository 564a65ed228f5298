import { messageOf } from "../core/error.ts";
import type { JsonObject, JsonValue } from "../core/json.ts";
import { scanJson } from "./json_scan.ts";
import { Refused } from "./refusal.ts";
import { isObject } from "./tool_schema.ts";

/** How deep arguments may nest; deeper ones are an attack on a recursive reader. */
const MAX_DEPTH = 64;

const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** Strict JSON, or `undefined`. */
export function parseStrict(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Throws `Refused` for keys that are never data and for nesting that is never meant. */
export function refuseHostile(value: JsonValue, depth = 0): void {
  if (typeof value !== "object" || value === null) return;
  if (depth > MAX_DEPTH) throw new Refused("invalid_json", `the arguments nest deeper than ${MAX_DEPTH} levels`);
  for (const [key, item] of Object.entries(value)) {
    if (FORBIDDEN_KEYS.has(key)) throw new Refused("invalid_json", `"${key}" is not allowed as a key`);
    refuseHostile(item, depth + 1);
  }
}

/** The inside of a code fence that is the whole text; `undefined` without one. */
function unfence(text: string): string | undefined {
  const fence = /^`{3,}/.exec(text)?.[0];
  const lineEnd = text.indexOf("\n");
  if (fence === undefined || lineEnd < 0 || !text.endsWith(`\n${fence}`) && !text.endsWith(`}${fence}`)) {
    return undefined;
  }
  const tag = text.slice(fence.length, lineEnd).trim().toLowerCase();
  return tag === "" || tag === "json" ? text.slice(lineEnd, -fence.length) : undefined;
}

function parseScanned(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Refused("invalid_json", messageOf(error));
  }
}

/** The one value that a damaged text can mean. Adds what was mended to `repairs`; throws `Refused`. */
export function readJson(text: string, repairs: string[]): JsonValue {
  const strict = parseStrict(text);
  if (strict !== undefined) return strict;
  const trimmed = text.trim();
  const inside = unfence(trimmed);
  if (inside !== undefined) {
    repairs.push("code fence removed");
    return readJson(inside, repairs);
  }
  const scanned = scanJson(trimmed);
  const values = scanned.values.map(parseScanned);
  const [first] = values;
  if (first === undefined) throw new Refused("invalid_json", "there is no JSON object");
  if (values.length > 1) {
    const canonical = JSON.stringify(first);
    if (!values.every((value) => isObject(value) && JSON.stringify(value) === canonical)) {
      const code = values.every(isObject) ? "several_objects" : "invalid_json";
      throw new Refused(code, "there is more than one JSON value; make one call for each");
    }
    repairs.push(`${values.length} identical objects taken as one`);
  }
  repairs.push(...scanned.repairs);
  return first;
}

/** The argument object in a call's raw text: blank is `{}`, JSON inside a JSON string is unpacked. Throws `Refused`. */
export function readArguments(raw: string, repairs: string[]): JsonObject {
  if (raw.trim() === "") return {};
  let value = readJson(raw, repairs);
  for (let layer = 0; typeof value === "string" && layer < 2; layer++) {
    repairs.push("JSON inside a string unpacked");
    value = readJson(value, repairs);
  }
  if (value === null || (Array.isArray(value) && value.length === 0)) return {};
  if (!isObject(value)) throw new Refused("wrong_type", "the arguments must be one JSON object");
  refuseHostile(value);
  return value;
}
