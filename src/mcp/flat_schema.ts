import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";

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
