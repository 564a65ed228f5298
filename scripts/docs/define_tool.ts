import { toJSONSchema } from "zod/mini";
import { isObject, type JsonObject, type JsonValue } from "../../src/core/json.ts";
import type { ToolDefinition } from "../../src/core/provider.ts";
import { argsOf, type Tool } from "../../src/core/tool.ts";

/** The keywords that are sent, in the order in which they are sent. */
const KEYWORDS = [
  "type",
  "description",
  "enum",
  "const",
  "minimum",
  "maximum",
  "properties",
  "items",
  "required",
  "anyOf",
];

/** A tool as the provider's tool field carries it: the schema that validates, without what only validators need. */
export async function defineTool(tool: Tool): Promise<ToolDefinition> {
  // Written by zod, so it is JSON and an object. As input: fields beyond the schema are tolerated.
  const schema = toJSONSchema(await argsOf(tool), { io: "input" }) as JsonObject;
  return { name: tool.name, description: tool.description, parameters: slim(schema) };
}

function slim(schema: JsonObject): JsonObject {
  const result: Record<string, JsonValue> = {};
  for (const keyword of KEYWORDS) {
    const value = schema[keyword];
    // Every integer has the bounds of a double; they tell the model nothing.
    if (value === undefined || (typeof value === "number" && Math.abs(value) === Number.MAX_SAFE_INTEGER)) continue;
    if (keyword === "properties" && isObject(value)) {
      result[keyword] = Object.fromEntries(Object.entries(value).map(([name, of]) => [name, slimmed(of)]));
    } else result[keyword] = slimmed(value);
  }
  return result;
}

function slimmed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(slimmed);
  return isObject(value) ? slim(value) : value;
}
