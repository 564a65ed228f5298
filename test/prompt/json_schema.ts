/** The part of JSON Schema that our own schemas use. */
interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly items?: Schema;
}
const KNOWN = "$schema title type const enum pattern minimum properties required additionalProperties items".split(" ");

/** What of a value does not fit a schema, each with its place; a keyword that is not understood is a failure too. */
export function misfits(schema: Schema, value: unknown, at = "$"): readonly string[] {
  const odd = Object.keys(schema).filter((key) => !KNOWN.includes(key)).map((key) => `${at}: unknown keyword ${key}`);
  if (odd.length) return odd;
  if ("const" in schema && value !== schema.const) return [`${at}: is not ${JSON.stringify(schema.const)}`];
  if (schema.enum && !schema.enum.includes(value)) return [`${at}: is none of the values`];
  if (schema.type && !isOfType(schema.type, value)) return [`${at}: is no ${schema.type}`];
  if (typeof value === "string" && schema.pattern && !new RegExp(schema.pattern).test(value)) return [`${at}: pattern`];
  if (typeof value === "number" && value < (schema.minimum ?? -Infinity)) return [`${at}: too small`];
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.flatMap((item, index) => misfits(items, item, `${at}[${index}]`)) : [];
  }
  if (typeof value !== "object" || value === null) return [];
  const { properties = {}, required = [], additionalProperties = true } = schema;
  const entries = Object.entries(value);
  return [
    ...required.filter((key) => !Object.hasOwn(value, key)).map((key) => `${at}.${key}: is missing`),
    ...entries.flatMap(([key, item]) => {
      const own = Object.hasOwn(properties, key) ? properties[key] : undefined;
      if (own) return misfits(own, item, `${at}.${key}`);
      return additionalProperties ? [] : [`${at}.${key}: is not in the schema`];
    }),
  ];
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "array":
      return Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    default: {
      const kind: string = typeof value;
      return kind === type;
    }
  }
}
