import { assertEquals, assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../../src/core/json.ts";
import { messagesOf } from "../../src/core/session.ts";
import { type BranchOptions, type BranchOutcome, summarizeBranch } from "../../src/history/branch_summary.ts";
import { asking, call, chain, reply, result, user, words } from "./conversation.ts";

const SHARED = chain([{ type: "message", message: user("start") }, { type: "message", message: reply("ok") }], "s");
const LEFT = chain(
  [
    { type: "message", message: user("try the other way") },
    { type: "message", message: reply("", [call("1", "read", { path: "a.ts" }), call("2", "edit", { path: "b.ts" })]) },
    { type: "message", message: result("1", "SECRET RESULT") },
    { type: "model_change", provider: "p", modelId: "m" },
    { type: "message", message: reply("it failed") },
  ],
  "l",
  "s1",
);
const OTHER = chain([{ type: "message", message: user("elsewhere") }], "o", "s1");

async function summarize(
  lines: readonly JsonObject[],
  more: Partial<BranchOptions> = {},
  left = LEFT,
): Promise<BranchOutcome> {
  const options = { ...asking(lines), contextWindow: 100_000, reserveTokens: 16_384, ...more };
  return await summarizeBranch([...SHARED, ...left], [...SHARED, ...OTHER], options);
}

Deno.test("summarizeBranch() summarises what the old path does not share with the new one, for the new position R327", async () => {
  const expect = ["try the other way", "it failed", "## Goal", "## Next Steps", "care for b.ts"];
  assertEquals(
    await summarize([{ text: "## Goal\nG", expect, usage: { input: 5, output: 5 } }], { focus: "care for b.ts" }),
    {
      type: "summarized",
      entry: {
        type: "branch_summary",
        fromId: "l4",
        summary: "## Goal\nG\n\n<read-files>\na.ts\n</read-files>\n\n<modified-files>\nb.ts\n</modified-files>",
        details: { readFiles: ["a.ts"], modifiedFiles: ["b.ts"] },
        usage: { input: 5, output: 5, cacheRead: 0, cacheWrite: 0, totalTokens: 10 },
      },
    },
  );
});

for (const absent of ["start", "elsewhere", "SECRET RESULT", "Critical Context"]) {
  Deno.test(`summarizeBranch() does not send "${absent}" R327`, async () => {
    const outcome = await summarize([{ text: "s", expect: [absent] }]);
    assertStringIncludes(outcome.type === "failed" ? outcome.failure.message : "", "is not there");
  });
}

Deno.test("summarizeBranch() takes the newest messages where not all fit", async () => {
  const left = chain(
    [
      { type: "message", message: user(`oldest ${words(3000)}`) },
      { type: "message", message: reply(`newest ${words(1000)}`) },
    ],
    "l",
    "s1",
  );
  const limits = { contextWindow: 4000, reserveTokens: 1000 };
  assertEquals((await summarize([{ text: "s", expect: ["newest"] }], limits, left)).type, "summarized");
  assertEquals((await summarize([{ text: "s", expect: ["oldest"] }], limits, left)).type, "failed");
});

Deno.test("summarizeBranch() refuses when nothing is left behind, and stores nothing of a failure", async () => {
  const options = { ...asking([{ text: "s" }]), contextWindow: 100_000, reserveTokens: 16_384 };
  assertEquals((await summarizeBranch(SHARED, [...SHARED, ...OTHER], options)).type, "refused");
  assertEquals((await summarizeBranch([], SHARED, options)).type, "refused");
  assertEquals((await summarize([{ text: "" }])).type, "failed");
  assertEquals((await summarize([{ text: "s" }], { signal: AbortSignal.abort() })).type, "aborted");
});

Deno.test("messagesOf() applies edits and gives what other entries say to the model", () => {
  const [answer, found] = [reply("b", [call("1", "read", { path: "a" })]), result("1", "c")];
  const entries = chain([
    { type: "message", message: user("a") },
    { type: "message", message: answer },
    { type: "message", message: found },
    { type: "custom_message", customType: "n", content: "note", display: true },
    { type: "context_edit", targetId: "e0", replacement: null },
    { type: "context_edit", targetId: "e1", replacement: { content: "B" } },
    { type: "context_edit", targetId: "e2", replacement: { content: [{ type: "text", text: "C" }] } },
    { type: "label", targetId: "e0" },
    { type: "branch_summary", fromId: "x", summary: "s" },
  ]);
  const messages = messagesOf(entries).map(({ message }) => message);
  assertEquals(messages.map(({ role }) => role), ["assistant", "toolResult", "custom", "branchSummary"]);
  assertEquals(messages.slice(0, 2), [
    { ...answer, content: [{ type: "text", text: "B" }, call("1", "read", { path: "a" })] },
    { ...found, content: [{ type: "text", text: "C" }] },
  ]);
});
