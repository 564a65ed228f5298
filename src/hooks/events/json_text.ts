import type { JsonValue } from "../../core/json.ts";

/** Longest JSON text that an extension may send, UTF-16 units. */
export const MAX_UNITS = 8 * 1024 * 1024;

const MAX_DEPTH = 100;

/**
 * The value of a JSON text that an extension sent; throws for text that is too long, nested too deeply, no JSON, or that
 * holds a key with which a careless copy would change a prototype.
 */
export function readJson(text: string): JsonValue {
  if (text.length > MAX_UNITS) throw new Error(`it is larger than ${MAX_UNITS / 1024 / 1024} MB`);
  // What JSON.parse gives is a JSON value.
  const value = JSON.parse(text) as JsonValue;
  check(value, 0);
  return value;
}

function check(value: JsonValue, depth: number): void {
  if (typeof value !== "object" || value === null) return;
  if (depth > MAX_DEPTH) throw new Error("it is nested too deeply");
  if (isList(value)) {
    for (const item of value) check(item, depth + 1);
    return;
  }
  for (const key of Object.keys(value)) {
    if (key === "__proto__") throw new Error('it holds the key "__proto__"');
    check(value[key] ?? null, depth + 1);
  }
}

/** Whether a JSON value is a list; TypeScript's own check does not narrow readonly ones. */
export function isList(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Whether a value is a list of strings. */
export function isTexts(value: unknown): value is readonly string[] {
  return isList(value) && value.every((item) => typeof item === "string");
}
