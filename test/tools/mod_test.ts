import { assertEquals, assertLessOrEqual } from "@std/assert";
import { DEFAULT_TOOLS, toolDefinition, TOOLS } from "../../tools/mod.ts";

Deno.test("TOOLS stand in their order, and the first four are the default R486", () => {
  assertEquals(TOOLS.map(({ name }) => name), [
    "read",
    "bash",
    "edit",
    "write",
    "grep",
    "find",
    "ls",
    "read_skill",
    "task",
  ]);
  assertEquals(DEFAULT_TOOLS, ["read", "bash", "edit", "write"]);
});

Deno.test("toolDefinition() is small and holds no bounds of doubles", () => {
  const definitions = TOOLS.filter(({ name }) => DEFAULT_TOOLS.includes(name))
    .map((tool) => ({ type: "function", function: toolDefinition(tool) }));
  const json = JSON.stringify(definitions);
  assertLessOrEqual(json.length, 2400);
  for (const word of ["$schema", "9007199254740991", "additionalProperties"]) assertEquals(json.includes(word), false);
});

Deno.test("toolDefinition() gives the schema that validates R425", () => {
  const edit = TOOLS.find(({ name }) => name === "edit");
  if (edit === undefined) throw new Error("no edit");
  assertEquals(
    JSON.stringify(toolDefinition(edit).parameters),
    JSON.stringify({
      type: "object",
      properties: {
        path: { type: "string" },
        edits: {
          type: "array",
          items: {
            type: "object",
            properties: {
              oldText: { type: "string", description: "Exact text, occurring once" },
              newText: { type: "string" },
            },
            required: ["oldText", "newText"],
          },
        },
      },
      required: ["path", "edits"],
    }),
  );
});
