import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";

/**
 * What a server sent, under the names that a package's type has for its fields: any of them may be missing or of another
 * kind, but a name that the type does not have is an error of ours. Of a union, the names of all of its members.
 */
export type Fields<T> = { readonly [K in T extends unknown ? keyof T : never]?: JsonValue };

/** A package's type as JSON, which its interfaces are not without saying so. */
export type Plain<T> = T extends object ? { [K in keyof T]: Plain<T[K]> } : T;

/** A text that is not empty; undefined for anything else. */
export function filled(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

const NONE: readonly JsonObject[] = [];

/** The objects of a list; none for anything else. */
export function list(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : NONE;
}
