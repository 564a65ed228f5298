/**
 * The part of JSON Schema in which the settings table is written. The table is published as it is, and checking against
 * it needs no schema library at start.
 */
export type Shape =
  | { readonly type: "string"; readonly enum?: readonly string[] }
  | NumberShape
  | { readonly type: "boolean" }
  | { readonly type: "array"; readonly items: Shape }
  | {
    readonly type: "object";
    readonly properties?: Readonly<Record<string, Shape>>;
    readonly required?: readonly string[];
    /** False: no other keys; a shape: keys of any name with such values. */
    readonly additionalProperties: false | Shape;
  }
  | { readonly anyOf: readonly Shape[] };

/** One with a `maximum` has a `minimum`, too. */
interface NumberShape {
  readonly type: "number" | "integer";
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
}

/** The first thing in `value` that a shape forbids, as `PATH: what it must be`; nothing when it fits. */
export function misfit(value: unknown, shape: Shape, path: string): string | undefined {
  if ("anyOf" in shape) {
    const found = shape.anyOf.map((one) => misfit(value, one, path));
    return found.includes(undefined) ? undefined : found[found.length - 1];
  }
  switch (shape.type) {
    case "string":
      if (typeof value !== "string") return `"${path}": must be a string`;
      return shape.enum && !shape.enum.includes(value)
        ? `"${path}": must be one of ${shape.enum.join(", ")}`
        : undefined;
    case "boolean":
      return typeof value === "boolean" ? undefined : `"${path}": must be true or false`;
    case "number":
    case "integer":
      return misfitNumber(value, shape, path);
    case "array":
      if (!Array.isArray(value)) return `"${path}": must be a list`;
      return first(value.entries(), ([index, item]) => misfit(item, shape.items, `${path}[${index}]`));
    case "object":
      if (typeof value !== "object" || value === null || Array.isArray(value)) return `"${path}": must be an object`;
      for (const key of shape.required ?? []) if (!Object.hasOwn(value, key)) return `"${path}": needs "${key}"`;
      return first(Object.entries(value), ([key, item]) => {
        const own = shape.properties && Object.hasOwn(shape.properties, key) ? shape.properties[key] : undefined;
        const inner = own ?? (shape.additionalProperties || undefined);
        return inner ? misfit(item, inner, `${path}.${key}`) : `"${path}": has no key "${key}"`;
      });
  }
}

function misfitNumber(value: unknown, shape: NumberShape, path: string): string | undefined {
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity } = shape;
  const isKind = shape.type === "integer" ? Number.isSafeInteger(value) : Number.isFinite(value);
  const number = value as number; // only looked at where it is one
  if (isKind && number >= minimum && number <= maximum && number > exclusiveMinimum) return undefined;
  const kind = shape.type === "integer" ? "a whole number" : "a number";
  const bound = Number.isFinite(exclusiveMinimum)
    ? ` above ${exclusiveMinimum}`
    : Number.isFinite(maximum)
    ? ` from ${minimum} to ${maximum}`
    : Number.isFinite(minimum)
    ? ` from ${minimum} up`
    : "";
  return `"${path}": must be ${kind}${bound}`;
}

function first<T>(items: Iterable<T>, look: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = look(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
