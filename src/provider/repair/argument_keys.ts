import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { Refused } from "./refusal.ts";
import { isClosed, joinPath, propertiesOf, propertyOf, requiredOf } from "./tool_schema.ts";

/** Names that models use for a key of ours; taken only where the right one is missing, and shown in no prompt. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  path: ["file_path", "filePath", "filepath", "file", "filename"],
  command: ["cmd"],
  content: ["contents", "file_text"],
  oldText: ["old_string", "oldString", "old_text"],
  newText: ["new_string", "newString", "new_text"],
};

/** Moves a value to the key that was meant; two different values for one key have no single reading. */
function move(target: Record<string, JsonValue>, from: string, to: string, repairs: string[]): void {
  const value = target[from] ?? null;
  delete target[from];
  const present = target[to] ?? null;
  if (value === null || JSON.stringify(present) === JSON.stringify(value)) return;
  if (present !== null) {
    throw new Refused("conflicting_keys", `"${from}" and "${to}" have different values; send only "${to}"`);
  }
  target[to] = value;
  repairs.push(`"${from}" taken as "${to}"`);
}

/** Strips markup that a server's parser left in a key, where the rest is a key of the schema. */
function stripMarkup(target: Record<string, JsonValue>, schema: JsonObject, repairs: string[]): void {
  for (const key of Object.keys(target)) {
    const bare = key.replace(/<\/?[a-z_]+>/g, "").trim();
    if (bare !== key && propertyOf(schema, key) === undefined && propertyOf(schema, bare) !== undefined) {
      move(target, key, bare, repairs);
    }
  }
}

/** The arguments with every key under the name that the schema has for it. Throws `Refused`. */
export function repairKeys(args: JsonObject, schema: JsonObject, repairs: string[]): Record<string, JsonValue> {
  const target: Record<string, JsonValue> = { ...args };
  stripMarkup(target, schema, repairs);
  for (const [key, names] of Object.entries(ALIASES)) {
    if (propertyOf(schema, key) === undefined) continue;
    for (const name of names) {
      if (Object.hasOwn(target, name) && propertyOf(schema, name) === undefined) move(target, name, key, repairs);
    }
  }
  return target;
}

/** Only what a server's parser does to keys, without near names; for calls that were written as text. */
export function repairMarkupInKeys(args: JsonObject, schema: JsonObject, repairs: string[]): Record<string, JsonValue> {
  const target: Record<string, JsonValue> = { ...args };
  stripMarkup(target, schema, repairs);
  return target;
}

/** Leaves out optional keys that are null and, where the schema is closed, keys that it does not have. */
export function dropKeys(
  target: Record<string, JsonValue>,
  schema: JsonObject,
  path: string,
  repairs: string[],
): void {
  const required = requiredOf(schema);
  for (const [key, value] of Object.entries(target)) {
    const property = propertyOf(schema, key);
    const name = joinPath(path, key);
    if (property === undefined && isClosed(schema)) {
      delete target[key];
      repairs.push(`unknown key "${name}" dropped`);
    } else if (value === null && property !== undefined && !allowsNull(property)) {
      if (required.includes(key)) throw new Refused("missing_required", `"${name}" is null`);
      delete target[key];
      repairs.push(`"${name}": null left out`);
    }
  }
  for (const key of required) {
    if (!Object.hasOwn(target, key)) throw new Refused("missing_required", `"${joinPath(path, key)}" is missing`);
  }
}

function allowsNull(property: JsonObject): boolean {
  const { type } = property;
  return type === undefined || type === "null" || (Array.isArray(type) && type.includes("null"));
}

/** The list of objects whose own keys lie beside it instead of inside, as `oldText` beside `path`. Throws `Refused`. */
export function listKeyOf(target: JsonObject, schema: JsonObject): string | undefined {
  for (const [key, property] of Object.entries(propertiesOf(schema))) {
    const items = isObject(property) ? property.items : undefined;
    const keys = isObject(items) ? requiredOf(items) : [];
    const lieBeside = keys.length > 0 &&
      keys.every((name) => Object.hasOwn(target, name) && propertyOf(schema, name) === undefined);
    if (!lieBeside) continue;
    if (!Object.hasOwn(target, key) || target[key] === null) return key;
    throw new Refused(
      "conflicting_keys",
      `"${keys.join('" and "')}" stand beside "${key}"; put everything into "${key}"`,
    );
  }
  return undefined;
}
