// How a reply is held to a JSON Schema: by the server's own field for it, or, where it has none, by one more tool that has to
// be called and whose arguments are the answer.
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { ProviderRequest, ToolDefinition } from "../../core/provider.ts";
import { parseStrict } from "../repair/json_arguments.ts";
import { safeToolName } from "../repair/tool_name.ts";

/** Name of the schema in the fields that want one. */
export const ANSWER_NAME = "answer";

/** Key of the value in the arguments, where the schema is not that of an object. */
const VALUE = "answer";

type Bound = Pick<ProviderRequest, "answerSchema" | "tools">;

/** The schema as it is sent; no server takes `$schema` for granted. */
export function sentSchema(schema: JsonObject): JsonObject {
  const { $schema: _, ...rest } = schema;
  return rest;
}

/** The tool whose arguments are the answer; undefined for a request that is bound to no schema. */
export function answerTool({ answerSchema, tools }: Bound): ToolDefinition | undefined {
  if (answerSchema === undefined) return undefined;
  const taken = new Set(tools.map(({ name }) => safeToolName(name)));
  let name = "final_answer";
  for (let number = 2; taken.has(name); number++) name = `final_answer_${number}`;
  const schema = sentSchema(answerSchema);
  const parameters: JsonObject = isOfObject(schema) ? schema : {
    type: "object",
    // References of a schema with an `$id` go by that and not by the place where it stands.
    properties: { [VALUE]: schema.$id === undefined ? rebased(schema) : schema },
    required: [VALUE],
    additionalProperties: false,
  };
  return { name, description: "Gives the final answer. Its arguments are the answer.", parameters };
}

/** The answer as JSON text, out of the arguments of that tool's call: to the letter, also where it is no JSON. */
export function answerIn(args: string, schema: JsonObject): string {
  if (isOfObject(schema)) return args;
  // What stands between the key and the last brace is a JSON text of its own only where there is no other key.
  const inner = WRAPPED.exec(args)?.[1]?.trim();
  return inner !== undefined && parseStrict(inner) !== undefined ? inner : args;
}

const WRAPPED = new RegExp(`^\\s*\\{\\s*"${VALUE}"\\s*:([\\s\\S]*)\\}\\s*$`);

function isOfObject({ type }: JsonObject): boolean {
  return type === "object";
}

/** Keywords whose value is an object of schemas, and those whose value is data. */
const MAPS: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);
const DATA: ReadonlySet<string> = new Set(["enum", "const", "default", "examples"]);

/** A schema whose references to its own root hold where it stands below the key of the arguments. */
function rebased(schema: JsonObject): JsonObject {
  const one = (value: JsonValue): JsonValue =>
    Array.isArray(value) ? value.map(one) : isObject(value) ? rebased(value) : value;
  return mapped(schema, (key, value) => {
    if (DATA.has(key)) return value;
    if (MAPS.has(key) && isObject(value)) return mapped(value, (_, inner) => one(inner));
    if (key === "$ref" && typeof value === "string" && /^#(?:\/|$)/.test(value)) {
      return `#/properties/${VALUE}${value.slice(1)}`;
    }
    return one(value);
  });
}

function mapped(object: JsonObject, change: (key: string, value: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(key, value ?? null)]));
}

/** What strict modes know; a schema with any other keyword is sent without. */
const STRICT_WORDS: ReadonlySet<string> = new Set([
  "$defs",
  "$ref",
  "additionalProperties",
  "anyOf",
  "const",
  "definitions",
  "description",
  "enum",
  "items",
  "properties",
  "required",
  "title",
  "type",
]);

/** The least bounds that servers have had for strict schemas. */
const STRICT_BOUNDS = { depth: 5, properties: 100, enumValues: 500, characters: 15_000 };

/** Whether a schema keeps the rules of strict modes: closed objects, every key required, few keywords, not large. */
export function fitsStrict(schema: JsonObject): boolean {
  if (!isOfObject(schema) || "anyOf" in schema || JSON.stringify(schema).length > STRICT_BOUNDS.characters) {
    return false;
  }
  let properties = 0;
  let enumValues = 0;
  const fits = (value: JsonValue | undefined, depth: number): boolean => {
    if (!isObject(value) || depth > STRICT_BOUNDS.depth) return false;
    if (Object.keys(value).some((key) => !STRICT_WORDS.has(key))) return false;
    if (Array.isArray(value.enum) && (enumValues += value.enum.length) > STRICT_BOUNDS.enumValues) return false;
    const types = Array.isArray(value.type) ? value.type : [value.type];
    if (types.includes("object") || "properties" in value) {
      if (value.additionalProperties !== false) return false;
      const keys = Object.keys(isObject(value.properties) ? value.properties : {});
      const required = Array.isArray(value.required) ? value.required : [];
      if ((properties += keys.length) > STRICT_BOUNDS.properties) return false;
      if (keys.length !== required.length || keys.some((key) => !required.includes(key))) return false;
    }
    const maps = [value.properties, value.$defs, value.definitions].filter((map) => map !== undefined);
    return maps.every((map) => isObject(map) && Object.values(map).every((inner) => fits(inner, depth + 1))) &&
      (value.items === undefined || fits(value.items, depth + 1)) &&
      (value.anyOf === undefined || (Array.isArray(value.anyOf) && value.anyOf.every((one) => fits(one, depth + 1))));
  };
  return fits(sentSchema(schema), 0);
}
