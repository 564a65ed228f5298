import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { attempt } from "../core/support/attempt.ts";
import { cleanText } from "./clean.ts";

// A server's schema goes to the model's provider with every request. Providers reject a whole request for one schema
// that they do not know in full, so only the part of JSON Schema that all of them take is sent: references are resolved,
// choices and tuples become `anyOf`, and what is left of a keyword is told in the description. The server still checks
// the arguments against its own schema.

/** Bounds of one tool's schema. Sizes in Unicode characters; a value is one subschema of the server's. */
const MAX_VALUES = 2_000;
const MAX_TEXT = 1_000;
const MAX_KEY = 128;
const MAX_ENUM = 256;
/** References that are followed one after the other. */
const MAX_REFERENCES = 16;
/** Of the whole, as JSON text. */
const MAX_SCHEMA = 32_768;
/** Levels that are sent: fewer are tried if a schema with more is too large. */
const DEPTHS = [12, 4, 2] as const;

const TYPES = ["object", "array", "string", "integer", "number", "boolean", "null"] as const;
type Type = typeof TYPES[number];

/** Names that other languages have for the types. */
const TYPE_NAMES: Readonly<Record<string, Type>> = {
  ...Object.fromEntries(TYPES.map((type) => [type, type])),
  ...{ dict: "object", map: "object", struct: "object", record: "object", list: "array", tuple: "array", set: "array" },
  ...{ str: "string", text: "string", int: "integer", long: "integer", float: "number", double: "number" },
  ...{ bool: "boolean", none: "null", nil: "null" },
};

/** Keywords by which a schema without a type says which one it means. */
const TYPE_OF_KEYWORD: readonly (readonly [string, Type])[] = [
  ["properties", "object"],
  ["required", "object"],
  ["additionalProperties", "object"],
  ["patternProperties", "object"],
  ["items", "array"],
  ["prefixItems", "array"],
];

class TooMuch extends Error {}

/** A schema as it is sent; `false`: no value fits it. */
type Sent = JsonObject | false;

/** A subschema of the server's, and the references that led there. */
interface Place {
  readonly value: unknown;
  readonly refs: readonly string[];
}

/** Several subschemas that must all hold, as one. */
interface Flat {
  /** Keywords with one value; the first one counts. */
  readonly words: ReadonlyMap<string, unknown>;
  /** Undefined if any type fits. */
  readonly types: readonly Type[] | undefined;
  readonly values: readonly JsonValue[] | undefined;
  readonly properties: ReadonlyMap<string, readonly Place[]>;
  readonly required: ReadonlySet<string>;
  /** Lists of which one schema each must hold. */
  readonly choices: readonly (readonly Place[])[];
  readonly items: readonly Place[];
  /** Schemas of properties that have no name; `false`: there are no others. */
  readonly additional: readonly Place[] | false;
}

/** Why a schema cannot be sent, as a clause. */
export interface UnusableSchema {
  readonly why: string;
}

/**
 * The schema of a tool's arguments as every provider takes it: an object with `properties`. No schema, `null` and `true`
 * mean that anything fits.
 */
export function cleanSchema(schema: unknown): { readonly parameters: JsonObject } | UnusableSchema {
  if (schema === undefined || schema === null || schema === true) {
    return { parameters: { type: "object", properties: {} } };
  }
  if (schema === false) return { why: "its schema (false) allows no call" };
  if (!isObject(schema)) return { why: `its schema is not an object but ${Array.isArray(schema) ? "a list" : "text"}` };
  for (const depth of DEPTHS) {
    const parameters = attempt(() => new Reader(schema, depth).top());
    if (parameters !== undefined && JSON.stringify(parameters).length <= MAX_SCHEMA) return { parameters };
  }
  return { why: `its schema is too large (more than ${MAX_SCHEMA} characters or ${MAX_VALUES} values)` };
}

/** Reads the schemas within one schema. */
class Reader {
  private values = 0;

  constructor(private readonly root: JsonObject, private readonly depth: number) {}

  /** The whole, which is always that of an object: choices are put together into the fields of one. */
  top(): JsonObject {
    const flat = this.flatten([{ value: this.root, refs: ["#"] }]) ?? NOTHING;
    return { ...annotations(flat, []), type: "object", properties: {}, ...this.fields(flat, 0) };
  }

  private read(places: readonly Place[], depth: number): Sent {
    const flat = this.flatten(depth > this.depth ? places.map((place) => this.outline(place)) : places);
    if (flat === undefined) return false;
    let { types } = flat;
    const { values } = flat;
    if (values !== undefined) {
      const fitting = values.filter((value) => types === undefined || types.some((type) => hasType(value, type)));
      if (fitting.length > 0) return described(flat, [], union(byType(fitting)));
    }
    const hasFields = flat.properties.size > 0 && (types === undefined || types.includes("object"));
    if (flat.choices.length > 0 && !hasFields) {
      const choice = union((flat.choices[0] ?? []).map((place) => this.read([place], depth + 1)));
      if (choice === false) return false;
      // A choice says more than the list of its types; one type says more than a choice of bounds.
      const isMore = types === undefined || types.length > 1 || types[0] === "object" || saysValues(choice);
      if (isMore && isTyped(choice)) return described(flat, [], choice);
    }
    if (types === undefined) {
      const found = TYPE_OF_KEYWORD.find(([word]) => word === "items" ? flat.items.length > 0 : flat.words.has(word));
      if (found === undefined) return described(flat, hintsOf(flat, "string"), {});
      types = [found[1]];
    }
    const single = types.length === 1;
    const hints = [...new Set(types.flatMap((type) => hintsOf(flat, type)))];
    const typed = types.map((type) => this.typed(flat, type, depth));
    return described(flat, hints, single ? typed[0] ?? {} : union(typed));
  }

  private typed(flat: Flat, type: Type, depth: number): JsonObject {
    switch (type) {
      case "object":
        return { type, ...this.fields(flat, depth) };
      case "array":
        return { type, items: this.items(flat, depth), ...sizes(flat, "minItems", "maxItems") };
      case "string":
        return {
          type,
          ...sizes(flat, "minLength", "maxLength"),
          ...(flat.words.get("format") === "date-time" ? { format: "date-time" } : {}),
        };
      case "integer":
      case "number":
        return { type, ...bounds(flat, type) };
      default:
        return { type };
    }
  }

  private items({ items }: Flat, depth: number): JsonObject {
    const found = union(items.map((place) => this.read([place], depth + 1)));
    return found === false ? {} : found;
  }

  /** `properties`, `required` and `additionalProperties` of an object, with the fields of its choices. */
  private fields(flat: Flat, depth: number): JsonObject {
    const { properties, required } = this.named(flat, depth);
    const sent: Record<string, JsonValue> = {};
    const impossible = new Set<string>();
    for (const [name, alternatives] of properties) {
      const schema = union(alternatives.map((places) => this.read(places, depth + 1)));
      if (schema === false) impossible.add(name);
      else sent[name] = schema;
    }
    const needed = [...required].filter((name) => !impossible.has(name));
    // A provider rejects a name that has no schema, and the model has to know it.
    for (const name of needed) if (!Object.hasOwn(sent, name)) sent[name] = {};
    const others = flat.additional === false
      ? false
      : union(flat.additional.map((place) => this.read([place], depth + 1)));
    return {
      ...(Object.keys(sent).length > 0 || depth === 0 ? { properties: sent } : {}),
      ...(needed.length > 0 ? { required: needed } : {}),
      ...(others === false || Object.keys(others).length > 0 ? { additionalProperties: others } : {}),
    };
  }

  /**
   * The fields that an object may and must have. A field that the choices describe differently may be any of these;
   * required is what all of them require.
   */
  private named(flat: Flat, depth: number): {
    readonly properties: ReadonlyMap<string, readonly (readonly Place[])[]>;
    readonly required: ReadonlySet<string>;
  } {
    const properties = new Map<string, readonly (readonly Place[])[]>();
    for (const [name, places] of flat.properties) properties.set(name, [places]);
    const required = new Set(flat.required);
    if (depth > this.depth) return { properties, required };
    for (const choice of flat.choices) {
      const branches = choice.flatMap((place) => this.flatten([place]) ?? []).map((one) => this.named(one, depth + 1));
      for (const branch of branches) {
        for (const [name, alternatives] of branch.properties) {
          if (flat.properties.has(name)) continue;
          properties.set(name, [...properties.get(name) ?? [], ...alternatives]);
        }
      }
      const [first, ...others] = branches;
      for (const name of first?.required ?? []) {
        if (others.every((branch) => branch.required.has(name))) required.add(name);
      }
    }
    return { properties, required };
  }

  /** What subschemas say together, with references and `allOf` resolved; undefined if nothing can fit. */
  private flatten(places: readonly Place[]): Flat | undefined {
    const words = new Map<string, unknown>();
    const properties = new Map<string, Place[]>();
    const required = new Set<string>();
    const choices: (readonly Place[])[] = [];
    const items: Place[] = [];
    const additional: Place[] = [];
    let isClosed = false;
    let types: readonly Type[] | undefined;
    let values: readonly JsonValue[] | undefined;
    const queue = [...places];
    for (let place = queue.shift(); place !== undefined; place = queue.shift()) {
      if (++this.values > MAX_VALUES) throw new TooMuch();
      const { value, refs } = place;
      if (value === false) return undefined;
      if (!isObject(value)) continue;
      const at = (inner: unknown): Place => ({ value: inner, refs });
      const target = this.target(value["$ref"] ?? value["$dynamicRef"], refs);
      if (target !== undefined) queue.push(target);
      for (const part of listIn(value["allOf"])) queue.push(at(part));
      for (const [word, said] of Object.entries(value)) if (!words.has(word)) words.set(word, said);
      types = narrowed(types, typesIn(value));
      values ??= valuesIn(value);
      for (const [name, schema] of entriesOf(value["properties"])) {
        if (isUsableKey(name)) properties.set(name, [...properties.get(name) ?? [], at(schema)]);
      }
      for (const name of listIn(value["required"])) {
        if (typeof name === "string" && isUsableKey(name)) required.add(name);
      }
      for (const word of ["anyOf", "oneOf"]) {
        if (listIn(value[word]).length > 0) choices.push(listIn(value[word]).map(at));
      }
      if (isObject(value["then"]) || isObject(value["else"])) choices.push([value["then"], value["else"]].map(at));
      items.push(...itemsIn(value).map(at));
      const patterns = entriesOf(value["patternProperties"]).map(([, schema]) => at(schema));
      additional.push(...patterns);
      const others = value["additionalProperties"] ?? value["unevaluatedProperties"];
      if (isObject(others)) additional.push(at(others));
      else if (others === false && patterns.length === 0) isClosed = true;
    }
    return {
      ...{ words, types, values, properties, required, choices, items },
      additional: isClosed && additional.length === 0 ? false : additional,
    };
  }

  /** What a reference within the schema leads to; one that leads nowhere or in a circle says no more than a type. */
  private target(ref: unknown, refs: readonly string[]): Place | undefined {
    if (typeof ref !== "string") return undefined;
    const value = pointed(this.root, ref);
    if (value === undefined) return undefined;
    const place = { value, refs: [...refs, ref] };
    return refs.includes(ref) || refs.length > MAX_REFERENCES ? this.outline(place) : place;
  }

  /** A subschema without those within it. */
  private outline({ value, refs }: Place): Place {
    if (!isObject(value)) return { value, refs };
    const { type, title, description, nullable } = value;
    const known = { type, title, description, nullable };
    return { value: Object.fromEntries(Object.entries(known).filter(([, said]) => said !== undefined)), refs };
  }
}

const NOTHING: Flat = {
  ...{ words: new Map(), types: undefined, values: undefined, properties: new Map(), required: new Set() },
  ...{ choices: [], items: [], additional: false },
};

/** One of several schemas: the one that is left, if possible. */
function union(schemas: readonly Sent[]): Sent {
  const all = schemas.flatMap((schema): readonly JsonObject[] => {
    if (schema === false) return [];
    const { anyOf, ...rest } = schema;
    return Array.isArray(anyOf) && Object.keys(rest).length === 0 ? anyOf.filter(isObject) : [schema];
  });
  if (schemas.length === 0) return {};
  const byText = new Map(merged(all).map((schema) => [JSON.stringify(schema), schema]));
  const [first, ...others] = byText.values();
  if (first === undefined) return false;
  if (others.length === 0) return first;
  return [first, ...others].some((schema) => !isTyped(schema)) ? {} : { anyOf: [first, ...others] };
}

/** Lists of values of the same type as one list. */
function merged(schemas: readonly JsonObject[]): readonly JsonObject[] {
  const lists = new Map<string, JsonValue[]>();
  const others = schemas.filter(({ type, enum: values, ...rest }) => {
    if (typeof type !== "string" || !Array.isArray(values) || Object.keys(rest).length > 0) return true;
    lists.set(type, [...lists.get(type) ?? [], ...values]);
    return false;
  });
  return [...[...lists].map(([type, values]) => ({ type, enum: [...new Set(values)] })), ...others];
}

function isTyped(schema: JsonObject): boolean {
  return "type" in schema || "anyOf" in schema;
}

function saysValues(schema: JsonObject): boolean {
  return "enum" in schema || (Array.isArray(schema["anyOf"]) && schema["anyOf"].some((one) => "enum" in Object(one)));
}

/** A schema with what the server's says in words. */
function described(flat: Flat, hints: readonly string[], schema: Sent): Sent {
  return schema === false ? false : { ...schema, ...annotations(flat, hints) };
}

function annotations({ words }: Flat, hints: readonly string[]): JsonObject {
  const [title, description, value] = [words.get("title"), words.get("description"), words.get("default")];
  const told = typeof description === "string" ? cleanText(description, MAX_TEXT) : "";
  const all = `${told}${hints.length > 0 ? `${told === "" ? "" : " "}(${hints.join("; ")})` : ""}`;
  const isPlain = value !== undefined && isClean(JSON.stringify(value) ?? "");
  return {
    ...(typeof title === "string" ? { title: cleanText(title, MAX_TEXT) } : {}),
    ...(all === "" ? {} : { description: all }),
    ...(isPlain ? { default: value as JsonValue } : {}), // it came out of JSON
  };
}

/** Keywords that not all providers know, in words. */
function hintsOf({ words }: Flat, type: Type): readonly string[] {
  const hints: string[] = [];
  const add = (word: string, said: string): void => {
    const value = words.get(word);
    if (typeof value !== "string" && typeof value !== "number") return;
    if (isClean(String(value)) && value !== "") hints.push(`${said}: ${value}`);
  };
  if (type === "string") {
    if (words.get("format") !== "date-time") add("format", "format");
    add("pattern", "pattern");
  }
  if (type === "number" || type === "integer") add("multipleOf", "a multiple of");
  if (type === "array" && words.get("uniqueItems") === true) hints.push("without duplicates");
  const [example] = listIn(words.get("examples"));
  if (typeof example === "string" || typeof example === "number") {
    if (isClean(String(example))) hints.push(`for example: ${example}`);
  }
  return hints;
}

function sizes({ words }: Flat, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(names.flatMap((name) => {
    const value = words.get(name);
    return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? [[name, value]] : [];
  }));
}

function bounds({ words }: Flat, type: "integer" | "number"): JsonObject {
  const number = (name: string): number | undefined => {
    const value = words.get(name);
    return typeof value === "number" && Number.isFinite(value) ? value : undefined;
  };
  const isWhole = type === "integer";
  const [above, below] = [number("exclusiveMinimum"), number("exclusiveMaximum")];
  const next = above !== undefined && isWhole ? Math.floor(above) + 1 : above;
  const last = below !== undefined && isWhole ? Math.ceil(below) - 1 : below;
  const [minimum, maximum] = [number("minimum") ?? next, number("maximum") ?? last];
  return { ...(minimum === undefined ? {} : { minimum }), ...(maximum === undefined ? {} : { maximum }) };
}

/** The values of a list by their types, each type as a schema. */
function byType(values: readonly JsonValue[]): readonly JsonObject[] {
  const numbers = values.filter((value) => typeof value === "number");
  const lists: readonly (readonly [Type, readonly JsonValue[]])[] = [
    ["string", values.filter((value) => typeof value === "string")],
    [numbers.every((value) => Number.isInteger(value)) ? "integer" : "number", numbers],
    ["boolean", values.filter((value) => typeof value === "boolean")],
    ["null", values.filter((value) => value === null)],
  ];
  return lists.filter(([, list]) => list.length > 0).map(([type, list]) => {
    const all = [...new Set(list)];
    return type === "null" || (type === "boolean" && all.length === 2) ? { type } : { type, enum: all };
  });
}

/** The values that a schema lists; undefined if it lists none, or some that cannot be sent. */
function valuesIn(schema: JsonObject): readonly JsonValue[] | undefined {
  const list = "const" in schema ? [schema["const"] ?? null] : schema["enum"];
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_ENUM) return undefined;
  const values: JsonValue[] = list.filter((value) => typeof value === "string" ? isClean(value) : isScalar(value));
  return list.every(isScalar) && values.length > 0 ? values : undefined;
}

function isScalar(value: unknown): boolean {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

function typesIn({ type, nullable }: JsonObject): readonly Type[] | undefined {
  const names = (Array.isArray(type) ? type : [type]).filter((name) => typeof name === "string");
  const found = names.flatMap((name) => TYPE_NAMES[name.toLowerCase()] ?? []);
  if (found.length < names.length || found.length === 0) return undefined; // one that nobody knows may be anything
  const all = new Set<Type>(nullable === true ? [...found, "null"] : found);
  if (all.has("number")) all.delete("integer");
  return [...all];
}

/** Types that both allow; those of the first where there are none. */
function narrowed(one: readonly Type[] | undefined, other: readonly Type[] | undefined): readonly Type[] | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const both = one.filter((type) => other.includes(type) || (type === "integer" && other.includes("number")));
  if (one.includes("number") && other.includes("integer")) return [...both, "integer"];
  return both.length > 0 ? both : one;
}

function hasType(value: JsonValue, type: Type): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "null") return value === null;
  const kind: string = typeof value;
  return kind === type;
}

/** The schemas of a list's items, whatever they are by their places. */
function itemsIn({ items, prefixItems }: JsonObject): readonly unknown[] {
  const first = [...listIn(prefixItems), ...listIn(items)];
  return isObject(items) ? [...first, items] : first;
}

/** What a JSON pointer within a schema leads to. */
function pointed(root: JsonObject, ref: string): unknown {
  if (ref === "#") return root;
  if (!ref.startsWith("#/")) return undefined;
  let at: unknown = root;
  for (const part of ref.slice(2).split("/")) {
    const key = (attempt(() => decodeURIComponent(part)) ?? part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[key];
  }
  return isObject(at) || typeof at === "boolean" ? at : undefined;
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return isObject(value) ? Object.entries(value) : [];
}

function isUsableKey(name: string): boolean {
  if (/^[\w$.-]{1,64}$/.test(name)) return name !== "__proto__";
  return name.length <= MAX_KEY && cleanText(name, MAX_KEY) === name;
}

function isClean(text: string): boolean {
  return cleanText(text, MAX_TEXT) === text;
}
