import type { Zod } from "../../src/core/tool.ts";
import type { JsonObject, JsonValue } from "../../src/core/json.ts";

/** One replacement as the model asks for it. */
export interface Edit {
  readonly oldText: string;
  readonly newText: string;
}

/** The arguments of the edit tool; fields beyond these are tolerated. */
export const editArgs = (z: Zod) =>
  z.object({
    path: z.string(),
    edits: z.array(z.object({
      oldText: z.string().check(z.describe("Exact text, occurring once")),
      newText: z.string(),
    })),
  });

/**
 * Brings the forms that models send into the one of the schema: `edits` as JSON text, one object instead of a list,
 * and `oldText` and `newText` beside the path. What it does not know it leaves for validation to name.
 */
export function prepareEdit(args: JsonObject): JsonObject {
  const { oldText, newText, ...rest } = args;
  const given = listOf(args["edits"]);
  if (oldText === undefined || newText === undefined) return given ? { ...args, edits: given } : args;
  return { ...rest, edits: [...(given ?? []), { oldText, newText }] };
}

function listOf(edits: JsonValue | undefined): readonly JsonValue[] | undefined {
  if (typeof edits === "string") {
    try {
      // Only its shape is looked at here; validation follows.
      const parsed: unknown = JSON.parse(edits);
      return typeof parsed === "string" ? undefined : listOf(parsed as JsonValue);
    } catch {
      return undefined;
    }
  }
  // `Array.isArray` does not narrow readonly arrays.
  if (Array.isArray(edits)) return edits as readonly JsonValue[];
  return typeof edits === "object" && edits !== null ? [edits as JsonObject] : undefined;
}
