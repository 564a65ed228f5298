// What a model most often gets wrong, told in one line a field before anything is sent. It is less than JSON Schema on
// purpose: a pattern of a hostile server could hold this process up for hours, and the server has the last word anyway.
import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";

/** Something in the arguments that the schema forbids. */
export interface ArgumentIssue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

const MOST_ISSUES = 8;
const MOST_DEPTH = 20;
/** How many allowed values are named. */
const SHOWN = 12;

/** What is wrong with arguments as far as types, required fields, enumerations and closed objects go. */
export function argumentIssues(args: JsonObject, schema: JsonObject): readonly ArgumentIssue[] {
  const issues: ArgumentIssue[] = [];
  const look = (value: JsonValue, rule: JsonValue | undefined, path: readonly (string | number)[]): void => {
    if (!isObject(rule) || issues.length >= MOST_ISSUES || path.length > MOST_DEPTH) return;
    const say = (message: string, at = path): void => void issues.push({ path: at, message });
    const types = (Array.isArray(rule["type"]) ? rule["type"] : [rule["type"]]).filter((type) =>
      typeof type === "string"
    );
    if (types.length > 0 && !types.some((type) => hasType(value, type))) {
      return say(`must be of type ${types.join(" or ")}, not ${typeName(value)}`);
    }
    const allowed = rule["enum"];
    if (Array.isArray(allowed) && isScalar(value) && !allowed.includes(value)) {
      const shown = allowed.slice(0, SHOWN).map((one) => JSON.stringify(one)).join(", ");
      say(`must be one of ${shown}${allowed.length > SHOWN ? " or others" : ""}`);
    }
    if (Array.isArray(value)) return value.forEach((item, at) => look(item, rule["items"], [...path, at]));
    if (!isObject(value)) return;
    const properties = isObject(rule["properties"]) ? rule["properties"] : {};
    for (const name of Array.isArray(rule["required"]) ? rule["required"] : []) {
      if (typeof name === "string" && !Object.hasOwn(value, name)) say("is required", [...path, name]);
    }
    for (const [key, item] of Object.entries(value)) {
      if (Object.hasOwn(properties, key)) look(item, properties[key], [...path, key]);
      else if (rule["additionalProperties"] === false && rule["patternProperties"] === undefined) {
        say("is not a known field", [...path, key]);
      } else look(item, rule["additionalProperties"], [...path, key]);
    }
  };
  look(args, schema, []);
  return issues.slice(0, MOST_ISSUES);
}

function hasType(value: JsonValue, type: string): boolean {
  switch (type) {
    case "integer":
      return Number.isInteger(value);
    case "null":
    case "boolean":
    case "number":
    case "string":
    case "array":
    case "object":
      return typeName(value) === type;
    default:
      return true; // the server may know more types than JSON Schema has
  }
}

function typeName(value: JsonValue): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function isScalar(value: JsonValue): value is string | number | boolean | null {
  return typeof value !== "object" || value === null;
}
