import * as z from "zod/mini";

/** One schema for each field of a type but those that `Without` names. */
export type FieldsOf<T, Without extends PropertyKey = never> = {
  readonly [K in Exclude<keyof T, Without>]-?: z.ZodMiniType;
};

/** An object with exactly these fields. */
export function exactly<T, Without extends PropertyKey = never>(fields: FieldsOf<T, Without>): z.ZodMiniObject {
  return z.strictObject(fields as Readonly<Record<string, z.ZodMiniType>>); // the same, its keys forgotten
}
