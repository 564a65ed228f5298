import { assertEquals } from "@std/assert";
import * as z from "zod/mini";
import type { JsonObject } from "../../src/core/json.ts";
import { textOf, type ToolCall } from "../../src/core/message.ts";
import { textResult, type Tool } from "../../src/core/tool.ts";
import { resultMessage, routeCall } from "../../src/agent/tool_call.ts";

const edits = z.array(z.object({ oldText: z.string().check(z.minLength(1)), newText: z.string() }));
const edit: Tool = {
  name: "edit",
  description: "",
  args: () =>
    z.object({
      path: z.string(),
      edits: z.optional(edits),
      limit: z.optional(z.int().check(z.maximum(9))),
      mode: z.optional(z.enum(["a", "b"])),
      at: z.optional(z.union([z.string(), z.number()])),
    }),
  promptSnippet: "",
  needs: ["write"],
  readOnly: false,
  place: "runner",
  prepare: (args) => {
    if (args["boom"]) throw new Error("edits is no JSON");
    const { file, ...rest } = args;
    return file === undefined ? args : { ...rest, path: file };
  },
  run: () => Promise.resolve(textResult("")),
};
const strict: Tool = { ...edit, name: "strict", args: () => z.strictObject({}) };
const tools = new Map([["edit", edit], ["strict", strict]]);

function route(args: JsonObject, name = "edit"): ReturnType<typeof routeCall> {
  return routeCall({ type: "toolCall", id: "1", name, arguments: args }, tools);
}

async function answer(args: JsonObject, name?: string): Promise<string> {
  const routed = await route(args, name);
  return routed.kind === "answered" ? textOf(routed.result.content) : "ready";
}

const INVALID = [
  { args: {}, fields: "- path: is required and must be of type string" },
  { args: { path: null }, fields: "- path: must be of type string, not null" },
  { args: { path: "a", edits: {} }, fields: "- edits: must be of type array, not object" },
  {
    args: { path: 1, edits: [{ oldText: "", newText: "" }, { oldText: "x" }] },
    fields: "- path: must be of type string, not number\n- edits.0.oldText: is too small: at least 1 characters\n" +
      "- edits.1.newText: is required and must be of type string",
  },
  { args: { path: "a", limit: 10 }, fields: "- limit: is too big: at most 9" },
  { args: { path: "a", mode: "c" }, fields: '- mode: must be one of "a", "b"' },
  { args: { path: "a", at: [] }, fields: "- at: fits none of the allowed forms; it is array" },
  { args: { path: "a", boom: true }, fields: "- arguments: edits is no JSON" },
  { args: { x: 1, y: 2 }, name: "strict", fields: "- arguments: has unknown fields x, y" },
];
for (const { args, name, fields } of INVALID) {
  Deno.test(`routeCall() names the fields of ${JSON.stringify(args)} R241`, async () => {
    assertEquals(
      await answer(args as JsonObject, name),
      `Validation failed for tool "${
        name ?? "edit"
      }", nothing was run:\n${fields}\nCorrect these fields and call again`,
    );
  });
}

Deno.test("routeCall() prepares, validates and drops unknown keys; an exact call stays the same object", async () => {
  const exact: ToolCall = { type: "toolCall", id: "1", name: "edit", arguments: { mode: "a", path: "x" } };
  const kept = await routeCall(exact, tools);
  assertEquals(kept.call === exact, true);
  assertEquals(kept.kind, "ready");
  assertEquals((await route({ file: "x", extra: 1 })).call.arguments, { path: "x" });
});

Deno.test("routeCall() lists the active tools for any other name R240", async () => {
  assertEquals(await answer({}, "Edit"), 'Tool "Edit" is not active, nothing was run. Active tools: edit, strict');
  const routed = await routeCall({ type: "toolCall", id: "1", name: "edit", arguments: {} }, new Map());
  assertEquals(
    routed.kind === "answered" && textOf(routed.result.content),
    'Tool "edit" is not active, nothing was run. No tool is active: answer in text',
  );
});

Deno.test("resultMessage() carries content, details and whether it is an error", () => {
  const call: ToolCall = { type: "toolCall", id: "7", name: "edit", arguments: {} };
  assertEquals(resultMessage(call, textResult("ok", { lines: 2 }), 5), {
    role: "toolResult",
    toolCallId: "7",
    toolName: "edit",
    content: [{ type: "text", text: "ok" }],
    details: { lines: 2 },
    isError: false,
    timestamp: 5,
  });
});
