import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { cleanText } from "./clean.ts";

// A server's schema goes to the model's provider with every request and into the prompt's cost: only so much of it, only
// what providers take, and nothing that would have to be run to be checked.

/** Bounds of one tool's schema; sizes in Unicode characters. */
const MOST_DEPTH = 20;
const MOST_VALUES = 2_000;
const LONGEST_TEXT = 1_000;
const LONGEST_KEY = 128;
/** Of the whole, as JSON text. */
const LONGEST_SCHEMA = 32_768;

/** Say nothing to a model, or refer to what only the server has. */
const LEFT_OUT: ReadonlySet<string> = new Set(
  "$schema $id $anchor $dynamicRef $dynamicAnchor $recursiveRef $recursiveAnchor $vocabulary $comment __proto__".split(
    " ",
  ),
);
/** Providers refuse a tool whose arguments as a whole are a choice: its fields are put together instead. */
const NOT_ON_TOP: ReadonlySet<string> = new Set(
  ["anyOf", "oneOf", "allOf", "not", "enum", "const", "if", "then", "else"],
);

class TooMuch extends Error {}

/** The schema as it is sent: always that of an object. Undefined where it is too large or no schema. */
export function cleanSchema(schema: unknown): JsonObject | undefined {
  if (!isObject(schema)) return undefined;
  let values = 0;
  const copy = (from: unknown, depth: number, isSchema: boolean): JsonValue | undefined => {
    if (++values > MOST_VALUES || depth > MOST_DEPTH) throw new TooMuch();
    if (from === null || typeof from === "boolean") return from;
    if (typeof from === "number") return Number.isFinite(from) ? from : undefined;
    if (typeof from === "string") return cleanText(from, LONGEST_TEXT);
    if (Array.isArray(from)) {
      return from.map((item) => copy(item, depth + 1, isSchema)).filter((item) => item !== undefined);
    }
    return isObject(from) ? copyObject(from, depth, isSchema) : undefined;
  };
  /** `isSchema`: its keys are words of JSON Schema; otherwise they are names of arguments, any of which may be meant. */
  const copyObject = (from: Readonly<Record<string, unknown>>, depth: number, isSchema: boolean): JsonObject => {
    const to: Record<string, JsonValue> = {};
    for (const [key, value] of Object.entries(from)) {
      if (key === "__proto__" || key.length > LONGEST_KEY || cleanText(key, LONGEST_KEY) !== key) continue;
      if (isSchema && (LEFT_OUT.has(key) || (key === "$ref" && !isOwnRef(value)))) continue;
      const below = copy(value, depth + 1, !isSchema || !NAMES.has(key));
      if (below !== undefined) to[key] = below;
    }
    return to;
  };
  try {
    const copied = copyObject(schema, 0, true);
    const { properties, required } = flatFields(copied);
    const rest = Object.entries(copied).filter(([key]) => !NOT_ON_TOP.has(key) && key !== "required");
    const clean: JsonObject = {
      ...Object.fromEntries(rest),
      type: "object",
      properties,
      ...(required.length > 0 || Array.isArray(copied["required"]) ? { required } : {}),
    };
    return JSON.stringify(clean).length <= LONGEST_SCHEMA ? clean : undefined;
  } catch (error) {
    if (error instanceof TooMuch) return undefined;
    throw error;
  }
}

/** Words whose values are not schemas but schemas by name. */
const NAMES: ReadonlySet<string> = new Set(
  ["properties", "$defs", "definitions", "patternProperties", "dependentSchemas"],
);

function isOwnRef(value: unknown): boolean {
  return typeof value === "string" && value.startsWith("#");
}

/** What an object may and must have. */
export interface Fields {
  readonly properties: JsonObject;
  readonly required: readonly string[];
}

/**
 * The fields of a schema whose arguments as a whole are a choice, or several schemas at once: providers take neither. A
 * field that the choices describe differently may be any of these; required is what all of them require. The server checks
 * the rest.
 */
export function flatFields(schema: JsonObject): Fields {
  const own = fieldsOf(schema);
  const all = branches(schema, "allOf");
  const choices = [branches(schema, "anyOf"), branches(schema, "oneOf")];
  const described = new Map<string, Set<string>>();
  for (const { properties } of [...all, ...choices.flat()]) {
    for (const [name, value] of Object.entries(properties)) {
      described.set(name, (described.get(name) ?? new Set()).add(JSON.stringify(value)));
    }
  }
  const merged = [...described].filter(([name]) => !Object.hasOwn(own.properties, name)).map(([name, texts]) => {
    const [first, ...others]: JsonValue[] = [...texts].map((text) => JSON.parse(text));
    return [name, others.length === 0 || first === undefined ? first ?? {} : { anyOf: [first, ...others] }] as const;
  });
  const needed = [
    ...own.required,
    ...all.flatMap(({ required }) => required),
    ...choices.flatMap(([first, ...others]) =>
      first?.required.filter((name) => others.every(({ required }) => required.includes(name))) ?? []
    ),
  ];
  return { properties: { ...own.properties, ...Object.fromEntries(merged) }, required: [...new Set(needed)] };
}

/** The schemas in one of its lists, each led by a reference to its definition within the schema, if it is one. */
function branches(schema: JsonObject, word: string): readonly Fields[] {
  const list = schema[word];
  if (!Array.isArray(list)) return [];
  return list.filter(isObject).map((branch: JsonObject) => fieldsOf(resolved(branch, schema)));
}

function resolved(branch: JsonObject, schema: JsonObject): JsonObject {
  const [, place, name] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(String(branch["$ref"] ?? "")) ?? [];
  const definitions = place === undefined ? undefined : schema[place];
  const found = isObject(definitions) && Object.hasOwn(definitions, name ?? "") ? definitions[name ?? ""] : undefined;
  return isObject(found) ? found : branch;
}

function fieldsOf({ properties, required }: JsonObject): Fields {
  return {
    properties: isObject(properties) ? properties : {},
    required: Array.isArray(required) ? required.filter((name) => typeof name === "string") : [],
  };
}
