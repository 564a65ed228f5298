import type { JsonValue } from "../core/json.ts";

/** JSON text in which equal values look equal: keys sorted at every level. */
export function canonicalJson(value: JsonValue): string {
  return JSON.stringify(value, (_key, part: JsonValue) => {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
