import { assertEquals } from "@std/assert";
import * as z from "zod/mini";
import { exactly } from "../../scripts/docs/schemas/exact_shape.ts";

interface Pair {
  readonly id: string;
  readonly count?: number;
}

const FITS: readonly (readonly [what: string, value: unknown, fits: boolean])[] = [
  ["all fields", { id: "a", count: 1 }, true],
  ["all that it needs", { id: "a" }, true],
  ["a field too many", { id: "a", more: 1 }, false],
  ["a field of another type", { id: 1 }, false],
  ["a field too few", { count: 1 }, false],
];
for (const [what, value, fits] of FITS) {
  Deno.test(`exactly() ${fits ? "takes" : "refuses"} an object with ${what}`, () => {
    const schema = exactly<Pair>({ id: z.string(), count: z.optional(z.number()) });
    assertEquals(z.safeParse(schema, value).success, fits);
  });
}

Deno.test("exactly() leaves out the fields that are named, and writes a schema that allows no others", () => {
  const schema = z.toJSONSchema(exactly<Pair, "count">({ id: z.string() }));
  assertEquals([schema.properties, schema.required, schema.additionalProperties], [
    { id: { type: "string" } },
    ["id"],
    false,
  ]);
  // @ts-expect-error: a field of the type has no schema
  exactly<Pair>({ id: z.string() });
});
