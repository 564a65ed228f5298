import { assertEquals, assertLessOrEqual } from "@std/assert";
import type { Policy } from "../../src/core/policy.ts";
import { defineTool } from "../../scripts/docs/define_tool.ts";
import { DEFAULT_TOOLS, toolDefinition, TOOLS, toolsUnder, webSearchAt } from "../../tools/mod.ts";
import { SUBSTITUTES, WHOLE_TOOLS, wholeToolsUnder } from "../../tools/table.ts";

Deno.test("TOOLS stand in their order, and the first four are the default R486", () => {
  const names = [
    "read",
    "bash",
    "edit",
    "write",
    "grep",
    "find",
    "ls",
    "read_skill",
    "fetch",
    "web_search",
    "bash_output",
    "bash_stop",
    "todo",
    "task",
  ];
  assertEquals(TOOLS.map(({ name }) => name), names);
  assertEquals(DEFAULT_TOOLS, ["read", "bash", "edit", "write", "fetch", "web_search"]);
});

Deno.test("the host's tools are those of the table, and give their schema, deadline and arguments from it", async () => {
  const data = (
    { name, description, promptSnippet, promptGuidelines, needs, readOnly, place }: typeof TOOLS[number],
  ) => ({
    ...{ name, description, promptSnippet, promptGuidelines, needs, readOnly, place },
  });
  assertEquals(TOOLS.map(data), WHOLE_TOOLS.map(data));
  for (const [at, tool] of TOOLS.entries()) {
    const whole = WHOLE_TOOLS[at];
    if (whole === undefined || whole.args === tool.args) throw new Error("this is the table's own tool, code and all");
    assertEquals(await defineTool(tool), await defineTool(whole));
    assertEquals(toolDefinition(tool), await defineTool(whole));
  }
  const none = { all: false, list: [] };
  const listed = {
    run: none,
    read: none,
    limits: { bashTimeoutMs: 7000, bashMaxTimeoutMs: 9000 },
  } as unknown as Policy;
  assertEquals(toolsUnder(listed).map(data), wholeToolsUnder(listed).map(data));
  const bash = toolsUnder(listed).find(({ name }) => name === "bash");
  assertEquals(bash?.description, SUBSTITUTES[0]?.description);
  assertEquals(await bash?.deadlineMs?.({ command: "x" }, listed), 9000);
  const edit = TOOLS.find(({ name }) => name === "edit");
  assertEquals(await edit?.prepare?.({ path: "a", oldText: "b", newText: "c" }), {
    path: "a",
    edits: [{ oldText: "b", newText: "c" }],
  });
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

Deno.test("webSearchAt() puts the words into the address as one value, whatever they hold", async () => {
  const { fetches } = webSearchAt("https://search.example/?q={query}&n=10");
  const cases = [["a b&n=1#x", "a%20b%26n%3D1%23x"], ["$& {query}", "%24%26%20%7Bquery%7D"], [
    "x\ud800",
    "x%EF%BF%BD",
  ]] as const;
  for (const [query, value] of cases) {
    assertEquals(await fetches?.({ query }), `https://search.example/?q=${value}&n=10`);
  }
});
