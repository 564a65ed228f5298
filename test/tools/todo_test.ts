import { assertEquals, assertRejects } from "@std/assert";
import { ToolError } from "../../src/core/error.ts";
import type { ToolContext } from "../../src/core/tool.ts";
import { todo } from "../../tools/todo.ts";

// It touches nothing: whatever it asked for would not be there.
const NOTHING = {} as ToolContext;

const run = (args: Record<string, unknown>) => todo.run((todo.prepare?.(args as never) ?? args) as never, NOTHING);

Deno.test("todo keeps the whole list, in the words of other programs too, and says what is being done R389 R390 R392", async () => {
  assertEquals(await run({ todos: [{ content: "a", status: "completed" }, "b ", { text: "c" }] }), {
    content: [{ type: "text", text: "1 of 3 done; now in_progress: b" }],
    details: {
      plan: [
        { content: "a", status: "completed" },
        { content: "b", status: "in_progress" },
        { content: "c", status: "pending" },
      ],
    },
  });
  assertEquals((await run({ items: [{ text: "a", state: "completed" }] })).content, [{
    type: "text",
    text: "1 of 1 done",
  }]);
  assertEquals((await run({ items: [] })).details, { plan: [] });
});

const two = [{ text: "a", state: "in_progress" }, { text: "b", state: "in_progress" }];
const WRONG: readonly (readonly [why: string, items: readonly unknown[]])[] = [
  ["More than one item is in_progress", two],
  ['the state is pending, in_progress, completed, not "open"', [{ text: "a", state: "open" }]],
  ["Item 1 has no text", [{ text: " " }]],
  ["Item 1 is longer than 200 characters", ["x".repeat(201)]],
  ["The list has 31 items: at most 30 are kept", Array(31).fill("a")],
];
for (const [why, items] of WRONG) {
  Deno.test(`todo refuses a list: ${why} R389`, async () => {
    await assertRejects(async () => await run({ items }), ToolError, why);
  });
}
