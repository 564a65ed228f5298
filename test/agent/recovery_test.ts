import { assertEquals, assertStringIncludes } from "@std/assert";
import { createRecovery } from "../../src/agent/run_state.ts";

const isExhausted = (text: string | undefined) => text?.includes("Do not call more tools") ?? false;

Deno.test("createRecovery() gives the facts of the last failure and nothing after a success R251 R252", () => {
  const recovery = createRecovery();
  assertEquals(recovery.instruction(), undefined);
  recovery.failed("edit", "old text not found\n");
  assertStringIncludes(recovery.instruction() ?? "", "Tool: edit\nError: old text not found\nAttempt: 1 of 3");
  recovery.succeeded();
  assertEquals(recovery.instruction(), undefined);
});

Deno.test("createRecovery() asks for a summary when a budget is used up, and forgets with a success R253", () => {
  const bySignature = createRecovery();
  for (const expected of [false, false, true]) {
    bySignature.failed("edit", "same");
    assertEquals(isExhausted(bySignature.instruction()), expected);
  }
  bySignature.failed("edit", "another");
  assertEquals(isExhausted(bySignature.instruction()), true);
  assertStringIncludes(bySignature.instruction() ?? "", "Error: another");
  bySignature.succeeded();
  bySignature.failed("edit", "same");
  assertEquals(isExhausted(bySignature.instruction()), false);

  const byTool = createRecovery();
  for (let i = 1; i <= 16; i++) byTool.failed("bash", `error ${i}`);
  assertEquals(isExhausted(byTool.instruction()), true);

  const byEpisode = createRecovery();
  for (let i = 1; i <= 31; i++) byEpisode.failed(`tool ${i % 3}`, `error ${i}`);
  assertEquals(isExhausted(byEpisode.instruction()), false);
  byEpisode.failed("bash", "error");
  assertEquals(isExhausted(byEpisode.instruction()), true);
});

Deno.test("createRecovery() keeps long errors short", () => {
  const recovery = createRecovery();
  recovery.failed("bash", "x".repeat(10_000));
  assertEquals((recovery.instruction() ?? "").length < 700, true);
});
