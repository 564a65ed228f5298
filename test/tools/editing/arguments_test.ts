import { assertEquals } from "@std/assert";
import { prepareEdit } from "../../../tools/editing/arguments.ts";

const one = { oldText: "a", newText: "b" };
const two = { oldText: "c", newText: "d" };

const CASES = [
  { name: "the form of the schema stays", given: { path: "f", edits: [one] }, taken: { path: "f", edits: [one] } },
  {
    name: "edits as JSON text",
    given: { path: "f", edits: JSON.stringify([one, two]) },
    taken: { path: "f", edits: [one, two] },
  },
  {
    name: "one edit as JSON text",
    given: { path: "f", edits: JSON.stringify(one) },
    taken: { path: "f", edits: [one] },
  },
  { name: "a single object", given: { path: "f", edits: one }, taken: { path: "f", edits: [one] } },
  { name: "texts beside the path", given: { path: "f", ...one }, taken: { path: "f", edits: [one] } },
  {
    name: "texts beside the path and edits",
    given: { path: "f", edits: [two], ...one },
    taken: { path: "f", edits: [two, one] },
  },
  { name: "broken JSON is left for validation", given: { path: "f", edits: "[{" }, taken: { path: "f", edits: "[{" } },
  {
    name: "JSON in JSON is left for validation",
    given: { path: "f", edits: '"[]"' },
    taken: { path: "f", edits: '"[]"' },
  },
  { name: "half of a text pair is left", given: { path: "f", oldText: "a" }, taken: { path: "f", oldText: "a" } },
];
for (const { name, given, taken } of CASES) {
  Deno.test(`prepareEdit() ${name}`, () => assertEquals<unknown>(prepareEdit(given), taken));
}
