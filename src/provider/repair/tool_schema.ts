import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";

// Only the part of JSON Schema that tool arguments use is looked at. Everything else is let through here, because the
// tool's own schema has the last word before anything runs.

/** The schemas of an object's keys. */
export function propertiesOf(schema: JsonObject): JsonObject {
  return isObject(schema.properties) ? schema.properties : {};
}

/** The schema of one key; `undefined` when the key is not declared. */
export function propertyOf(schema: JsonObject, key: string): JsonObject | undefined {
  const properties = propertiesOf(schema);
  if (!Object.hasOwn(properties, key)) return undefined;
  const property = properties[key];
  return isObject(property) ? property : {};
}

/** The keys that must be there. */
export function requiredOf(schema: JsonObject): readonly string[] {
  return Array.isArray(schema.required) ? schema.required.filter((key) => typeof key === "string") : [];
}

/** Whether keys that are not declared are forbidden. */
export function isClosed(schema: JsonObject): boolean {
  return schema.additionalProperties === false;
}

/** The one type that a schema asks for; `undefined` when it allows several or says nothing. */
export function typeOf(schema: JsonObject): string | undefined {
  return typeof schema.type === "string" ? schema.type : undefined;
}

/** Whether null is a value that a schema allows. */
export function allowsNull(schema: JsonObject): boolean {
  const { type, anyOf, oneOf, enum: values } = schema;
  if (Array.isArray(values)) return values.includes(null);
  const choices = [anyOf, oneOf].find(Array.isArray);
  if (choices) return choices.some((one) => !isObject(one) || allowsNull(one));
  return type === undefined || (Array.isArray(type) ? type : [type]).includes("null");
}

function hasType(value: JsonValue, type: string): boolean {
  switch (type) {
    case "object":
      return isObject(value);
    case "array":
      return Array.isArray(value);
    case "null":
      return value === null;
    case "integer":
      return Number.isInteger(value);
    case "string":
      return typeof value === "string";
    case "number":
      return typeof value === "number";
    case "boolean":
      return typeof value === "boolean";
    default:
      return true;
  }
}

/** The first thing in `value` that a schema forbids, for example `"limit" must be integer`; `undefined` when it fits. */
export function mismatch(value: JsonValue, schema: JsonObject, path = ""): string | undefined {
  if (value === null && !allowsNull(schema)) {
    return `${path === "" ? "the arguments" : `"${path}"`} must not be null`;
  }
  const types = Array.isArray(schema.type) ? schema.type : schema.type === undefined ? [] : [schema.type];
  if (types.length > 0 && !types.some((type) => typeof type === "string" && hasType(value, type))) {
    return `${path === "" ? "the arguments" : `"${path}"`} must be ${types.join(" or ")}`;
  }
  if (Array.isArray(value)) {
    if (!isObject(schema.items)) return undefined;
    for (const [index, item] of value.entries()) {
      const found = mismatch(item, schema.items, `${path}[${index}]`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!isObject(value)) return undefined;
  for (const key of requiredOf(schema)) {
    if (!Object.hasOwn(value, key)) return `"${joinPath(path, key)}" is missing`;
  }
  for (const [key, item] of Object.entries(value)) {
    const property = propertyOf(schema, key);
    if (property === undefined && isClosed(schema)) return `"${joinPath(path, key)}" is not a known key`;
    const found = property === undefined ? undefined : mismatch(item, property, joinPath(path, key));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A dotted path of keys. */
export function joinPath(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}
