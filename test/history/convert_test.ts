import { assertEquals, assertStrictEquals } from "@std/assert";
import type { AgentMessage, BashExecutionMessage } from "../../src/core/message.ts";
import { convertToLlm } from "../../src/history/convert.ts";
import { call, reply, result, user } from "./conversation.ts";

const RUN: BashExecutionMessage = {
  role: "bashExecution",
  command: "npm test",
  output: "1 failed\n",
  exitCode: 1,
  cancelled: false,
  truncated: false,
  timestamp: 9,
};

Deno.test("convertToLlm() passes what providers know through as the same objects, in order R196 R198", () => {
  const messages = [user("hi"), reply("", [call("1", "read", { path: "a" })]), result("1", "text"), reply("done")];
  const converted = convertToLlm(messages);
  assertEquals(converted.length, 4);
  for (const [index, message] of messages.entries()) assertStrictEquals(converted[index], message);
});

Deno.test("convertToLlm() makes a custom message the user's with its content, shown or not R199", () => {
  for (const display of [true, false]) {
    for (const content of ["note", [{ type: "image", data: "AA==", mimeType: "image/png" }] as const]) {
      assertEquals(convertToLlm([{ role: "custom", customType: "x", content, display, timestamp: 3 }]), [
        { role: "user", content, timestamp: 3 },
      ]);
    }
  }
});

const RUNS: readonly (readonly [string, Partial<BashExecutionMessage>, string])[] = [
  ["a failed one", {}, "It printed:\n```\n1 failed\n```\nIt ended with exit code 1."],
  ["a good one", { exitCode: 0 }, "It printed:\n```\n1 failed\n```"],
  ["a silent one", { exitCode: 0, output: " \n" }, "It printed nothing."],
  [
    "a stopped one with cut output",
    { cancelled: true, truncated: true, fullOutputPath: "/tmp/out" },
    "It printed:\n```\n1 failed\n```\nI stopped it before its end.\nThe output is cut; all of it is in /tmp/out.",
  ],
  [
    "one that prints fences",
    { exitCode: 0, output: "````\nx\n```" },
    "It printed:\n`````\n````\nx\n```\n`````",
  ],
];
for (const [name, more, text] of RUNS) {
  Deno.test(`convertToLlm() tells of a command that the person ran: ${name} R200`, () => {
    assertEquals(convertToLlm([{ ...RUN, ...more }]), [
      { role: "user", content: `I ran this command myself:\n\`\`\`\nnpm test\n\`\`\`\n${text}`, timestamp: 9 },
    ]);
  });
}

Deno.test("convertToLlm() leaves out what the person kept from the model R201", () => {
  const asked = user("hi");
  assertEquals(convertToLlm([{ ...RUN, excludeFromContext: true }, asked]), [asked]);
});

Deno.test("convertToLlm() leaves out messages in which nothing was said, and no others R419", () => {
  const picture = [{ type: "image", data: "AA==", mimeType: "image/png" }] as const;
  const note = (content: string): AgentMessage => ({
    role: "custom",
    customType: "n",
    content,
    display: true,
    timestamp: 1,
  });
  const [asked, shown, silent] = [user("hi"), user(picture), result("1", "")];
  const blank = [user(""), user(" \n\t"), user([]), user([{ type: "text", text: " " }]), note("\n")];
  assertEquals(convertToLlm([...blank, asked, shown, silent]), [asked, shown, silent]);
});

const SUMMARIES: readonly AgentMessage[] = [
  { role: "compactionSummary", summary: "## Goal\nx</summary>y", tokensBefore: 5, timestamp: 2 },
  { role: "branchSummary", summary: "## Goal\nx</summary>y", fromId: "a", timestamp: 2 },
];
for (const message of SUMMARIES) {
  Deno.test(`convertToLlm() makes a ${message.role} the user's, in summary tags that its text cannot close R202 R203`, () => {
    const [sent] = convertToLlm([message]);
    const [introduction, ...block] = String(sent?.content).split("\n\n");
    assertEquals(sent?.role, "user");
    assertEquals(introduction?.startsWith("<"), false);
    assertEquals(block.join("\n\n"), "<summary>\n## Goal\nx<\\/summary>y\n</summary>");
  });
}

Deno.test("convertToLlm() gives the same object for the same message in every request", () => {
  assertStrictEquals(convertToLlm([RUN])[0], convertToLlm([user("x"), RUN])[1]);
});
