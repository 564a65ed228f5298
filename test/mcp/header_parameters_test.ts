import { assertEquals } from "@std/assert";
import { headerFault } from "../../src/mcp/header_parameters.ts";

const header = (name: unknown, type: unknown = "string") => ({ type, "x-mcp-header": name });
const of = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });

const CASES: readonly { readonly name: string; readonly schema: unknown; readonly isValid: boolean }[] = [
  { name: "no headers", schema: of({ a: { type: "string" } }), isValid: true },
  { name: "no schema", schema: undefined, isValid: true },
  { name: "headers", schema: of({ a: header("Region"), b: header("Level", "integer") }), isValid: true },
  { name: "a nested header", schema: of({ a: of({ b: header("Region") }) }), isValid: true },
  { name: "an argument of that name", schema: of({ "x-mcp-header": { type: "string" } }), isValid: true },
  { name: "an empty name", schema: of({ a: header("") }), isValid: false },
  { name: "a name with spaces", schema: of({ a: header("My Region") }), isValid: false },
  { name: "a name with a line end", schema: of({ a: header("A\r\nB") }), isValid: false },
  { name: "a name that is a number", schema: of({ a: header(5) }), isValid: false },
  { name: "the same name twice", schema: of({ a: header("Region"), b: header("REGION") }), isValid: false },
  { name: "a header of a number", schema: of({ a: header("Share", "number") }), isValid: false },
  { name: "a header of an object", schema: of({ a: header("Share", "object") }), isValid: false },
  { name: "a header of a list's items", schema: of({ a: { type: "array", items: header("A") } }), isValid: false },
  { name: "a header in a choice", schema: of({}, { anyOf: [of({ a: header("A") })] }), isValid: false },
  { name: "a header in a definition", schema: of({}, { $defs: { a: header("A") } }), isValid: false },
  { name: "a header of the whole", schema: { ...of({}), "x-mcp-header": "A" }, isValid: false },
];

for (const { name, schema, isValid } of CASES) {
  Deno.test(`headerFault() of ${name}`, () => assertEquals(headerFault(schema) === undefined, isValid));
}
