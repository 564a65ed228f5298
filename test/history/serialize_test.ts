import { assert, assertEquals, assertLessOrEqual } from "@std/assert";
import type { AgentMessage } from "../../src/core/message.ts";
import { fitConversation, serializeMessages } from "../../src/history/serialize.ts";
import { countTokens } from "../../src/history/tokens.ts";
import { call, reply, result, user, words } from "./conversation.ts";

const run: AgentMessage = {
  role: "bashExecution",
  command: "ls",
  output: "a\nb",
  exitCode: 2,
  cancelled: false,
  truncated: false,
  timestamp: 1,
};
const long = "x".repeat(2500);
const CASES: readonly (readonly [string, AgentMessage, readonly string[]])[] = [
  ["a prompt", user("do it"), ["[User]\ndo it"]],
  ["a picture", user([{ type: "text", text: "see" }, { type: "image", data: "AA", mimeType: "image/png" }]), [
    "[User]\nsee\n[image]",
  ]],
  ["a reply with calls", reply("ok", [call("1", "read", { path: "a.ts", limit: 5 }), call("2", "ls", {})]), [
    '[Assistant]\nok\n\n[Assistant calls]\nread(path="a.ts", limit=5)\nls()',
  ]],
  ["a long argument", reply("", [call("1", "write", { content: "y".repeat(1000) })]), [
    `[Assistant calls]\nwrite(content="${"y".repeat(399)}\n[… 602 more characters])`,
  ]],
  ["reasoning", { ...reply(""), content: [{ type: "thinking", thinking: "hmm" }] }, []],
  ["a result", result("1", long), [`[Tool result: read]\n${"x".repeat(2000)}\n[… 500 more characters]`]],
  ["a failed one", { ...result("1", ""), isError: true }, ["[Tool failed: read]\n(nothing)"]],
  ["a note", { role: "custom", customType: "c", content: "n", display: false, timestamp: 1 }, ["[Note]\nn"]],
  ["a command", run, ["[Command of the user, exit code 2]\n$ ls\na\nb"]],
  ["a private command", { ...run, excludeFromContext: true }, []],
  ["a branch", { role: "branchSummary", summary: "s", fromId: "e", timestamp: 1 }, [
    "[Summary of a line that was left]\ns",
  ]],
];
for (const [name, message, parts] of CASES) {
  Deno.test(`serializeMessages() writes ${name}`, () => assertEquals(serializeMessages([message]), parts));
}

Deno.test("fitConversation() gives everything where there is room, else shortens, else keeps the first and the newest", async () => {
  const messages = [user("the task"), ...Array.from({ length: 50 }, (_, i) => reply(`step ${i} ${words(300)}`))];
  const whole = serializeMessages(messages).join("\n\n");
  assertEquals(await fitConversation(messages, 20_000), whole);
  for (const room of [10_000, 3000, 300]) {
    const text = await fitConversation(messages, room);
    assertLessOrEqual(await countTokens(text), room);
    assert(text.startsWith("[User]\nthe task\n\n"));
    assert(text.includes("step 49 word"));
    assertEquals(text.includes("messages are left out"), room < 6000);
  }
});
