import { isObject, type JsonValue } from "../core/json.ts";

/** The keyword by which a server asks for an argument as an HTTP header. */
const KEYWORD = "x-mcp-header";
/** A name of a header (RFC 9110). */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const TYPES: ReadonlySet<JsonValue | undefined> = new Set(["string", "integer", "boolean"]);

/**
 * What is wrong with the headers that a tool's schema asks for, as a clause; undefined if nothing is. A client of the
 * stateless revision over HTTP must not offer such a tool: its calls could not carry what the server expects.
 */
export function headerFault(schema: unknown): string | undefined {
  const seen = new Set<string>();
  /** `isReachable`: only `properties` led here. */
  const visit = (node: unknown, isReachable: boolean): string | undefined => {
    if (Array.isArray(node)) return first(node, (item) => visit(item, false));
    if (!isObject(node)) return undefined;
    const { [KEYWORD]: name, properties, ...rest } = node;
    if (name !== undefined) {
      if (!isReachable) return `${KEYWORD} is not on a single argument`;
      if (typeof name !== "string" || !TOKEN.test(name)) return `${KEYWORD} is not a valid header name`;
      if (!TYPES.has(node["type"])) return `${KEYWORD} is on an argument that is not a string, integer or boolean`;
      if (seen.has(name.toLowerCase())) return `${KEYWORD} names a header twice`;
      seen.add(name.toLowerCase());
    }
    return first(isObject(properties) ? Object.values(properties) : [], (one) => visit(one, isReachable)) ??
      first(Object.entries(rest).filter(([word]) => !VALUES.has(word)), ([, value]) => below(value));
  };
  const below = (value: unknown): string | undefined =>
    visit(value, false) ??
      (isObject(value) && !(KEYWORD in value) ? first(Object.values(value), (one) => visit(one, false)) : undefined);
  if (isObject(schema) && KEYWORD in schema) return `${KEYWORD} is on the schema itself`;
  return visit(schema, true);
}

/** Keywords whose values are no schemas. */
const VALUES: ReadonlySet<string> = new Set(["default", "const", "enum", "examples", "required", "type"]);

function first<T>(items: readonly T[], fault: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = fault(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
