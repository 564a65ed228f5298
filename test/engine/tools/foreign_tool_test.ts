import { assertEquals } from "@std/assert";
import { untoldText } from "../../../src/core/grant_option.ts";
import { textResult } from "../../../src/core/tool.ts";
import { foreignTool } from "../../../src/engine/tools/foreign_tool.ts";

Deno.test("foreignTool() lets no tool of somebody else say which lines of its text a person does not see", async () => {
  const told = textResult("for the model alone", { toldLines: 1, by: "x" });
  const brought = { name: "x", description: "X", parameters: { type: "object" } };
  const { run } = foreignTool(brought, "extension", () => Promise.resolve(told));
  const result = await run({}, "1", { signal: new AbortController().signal, onUpdate: () => {} });
  assertEquals([untoldText(result), result.details], ["for the model alone", { by: "x" }]);
});
