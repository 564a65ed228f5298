import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { dropKeys, listKeyOf, repairKeys } from "./argument_keys.ts";
import { parseStrict, readJson, refuseHostile } from "./json_arguments.ts";
import { Refused } from "./refusal.ts";
import { allowsNull, joinPath, propertiesOf, propertyOf, requiredOf, typeOf } from "./tool_schema.ts";

/** What a value repair may look at besides the value. */
interface Place {
  readonly path: string;
  /** The call's text as it came: a number's decimals are lost once it is parsed. */
  readonly raw: string;
  readonly repairs: string[];
}

function toNumber(text: string, integer: boolean): number | undefined {
  const value = Number(text);
  if (!/^-?\d+(\.\d+)?$/.test(text) || String(value) !== text) return undefined;
  return !integer || Number.isSafeInteger(value) ? value : undefined;
}

/** Scalars under the type that the schema asks for, canonical forms only; everything else comes back unchanged. */
export function repairScalar(value: JsonValue, schema: JsonObject, place: Place): JsonValue {
  const type = typeOf(schema);
  if (typeof value === "string") {
    const converted = type === "integer" || type === "number"
      ? toNumber(value, type === "integer")
      : type === "boolean" && (value === "true" || value === "false")
      ? value === "true"
      : undefined;
    if (converted === undefined) return value;
    place.repairs.push(`"${place.path}": text taken as ${type}`);
    return converted;
  }
  // `1.10` and `1e3` have already lost their spelling, so no number of such a text is taken for text.
  if (type === "string" && Number.isSafeInteger(value) && !/[:[,]\s*-?\d+(\.|[eE])/.test(place.raw)) {
    place.repairs.push(`"${place.path}": number taken as text`);
    return String(value);
  }
  return value;
}

/** A list from the forms that models send instead: JSON text, one item alone, or the list wrapped in its own name. */
function repairList(value: JsonValue, key: string, items: JsonObject, place: Place): JsonValue {
  let list = value;
  if (typeof list === "string") {
    const parsed = readJson(list, place.repairs);
    refuseHostile(parsed);
    if (typeof parsed !== "object" || parsed === null) return value;
    place.repairs.push(`"${place.path}": JSON text unpacked`);
    list = parsed;
  }
  if (isObject(list) && Object.keys(list).length === 1 && Array.isArray(list[key])) {
    place.repairs.push(`"${place.path}": inner layer unwrapped`);
    list = list[key] ?? list;
  } else if (isObject(list)) {
    place.repairs.push(`"${place.path}": single item taken as a list`);
    list = [list];
  }
  if (!Array.isArray(list)) return value;
  return list.map((item: JsonValue, index) => {
    const path = `${place.path}[${index}]`;
    let entry = item;
    if (typeof entry === "string") {
      const parsed = readJson(entry, place.repairs);
      refuseHostile(parsed);
      place.repairs.push(`"${path}": JSON text unpacked`);
      entry = parsed;
    }
    return isObject(entry) ? repairObject(entry, items, { ...place, path }) : entry;
  });
}

function repairValue(value: JsonValue, key: string, schema: JsonObject, place: Place): JsonValue {
  const items = schema.items;
  if (typeOf(schema) === "array" && isObject(items)) {
    if (typeOf(items) === "object") return repairList(value, key, items, place);
    if (!Array.isArray(value)) return value;
    return value.map((item: JsonValue, index) =>
      repairScalar(item, items, { ...place, path: `${place.path}[${index}]` })
    );
  }
  if (typeOf(schema) === "object" && isObject(value) && Object.keys(propertiesOf(schema)).length > 0) {
    return repairObject(value, schema, place);
  }
  return repairScalar(value, schema, place);
}

/** Keys, then values, of an object under its schema. Throws `Refused` where more than one reading is left. */
export function repairObject(args: JsonObject, schema: JsonObject, place: Place): JsonObject {
  const target = repairKeys(args, schema, place.repairs);
  liftList(target, schema, place);
  dropKeys(target, schema, place.path, place.repairs);
  const required = requiredOf(schema);
  for (const [key, value] of Object.entries(target)) {
    const property = propertyOf(schema, key);
    if (property !== undefined && value === null && !required.includes(key) && !allowsNull(property)) {
      delete target[key];
      place.repairs.push(`"${joinPath(place.path, key)}": null left out`);
    } else if (property !== undefined) {
      target[key] = repairValue(value, key, property, { ...place, path: joinPath(place.path, key) });
    }
  }
  return target;
}

/** Puts an item whose keys lie beside the list's owner into the list: `{path, oldText, newText}`. */
function liftList(target: Record<string, JsonValue>, schema: JsonObject, place: Place): void {
  const wrapper: JsonObject = { type: "object", properties: itemProperties(schema) };
  const named = repairKeys(
    target,
    { ...wrapper, properties: { ...itemProperties(schema), ...propertiesOf(schema) } },
    [],
  );
  const list = listKeyOf(named, schema);
  if (list === undefined) return;
  const items = propertyOf(schema, list)?.items;
  if (!isObject(items)) return;
  const item: Record<string, JsonValue> = {};
  for (const key of requiredOf(items)) item[key] = named[key] ?? null;
  for (const key of Object.keys(target)) delete target[key];
  for (const [key, value] of Object.entries(named)) if (!Object.hasOwn(item, key)) target[key] = value;
  target[list] = [item];
  place.repairs.push(`the keys of one item put into "${list}"`);
}

function itemProperties(schema: JsonObject): JsonObject {
  const found: Record<string, JsonValue> = {};
  for (const property of Object.values(propertiesOf(schema))) {
    if (isObject(property) && isObject(property.items)) Object.assign(found, propertiesOf(property.items));
  }
  return found;
}

/** One extra layer around the arguments, taken off where nothing else can be meant. Throws `Refused`. */
export function unwrapLayer(args: JsonObject, tool: string, schema: JsonObject, repairs: string[]): JsonObject {
  const keys = Object.keys(args);
  const known = keys.some((key) => propertyOf(schema, key) !== undefined);
  const named = keys.length === 2 && typeof args.name === "string";
  const key = keys.find((name) => name === "arguments" || name === "parameters" || (name === "input" && !named));
  if (key === undefined || known || !(keys.length === 1 || named)) return args;
  const text = args[key];
  const inner = typeof text === "string" ? parseStrict(text) : text;
  if (!isObject(inner)) return args;
  if (named && args.name !== tool) {
    throw new Refused("unknown_tool", `the arguments name the tool "${args.name}" inside a call of "${tool}"`);
  }
  repairs.push(`extra layer "${key}" taken off`);
  return inner;
}
