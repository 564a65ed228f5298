import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { AssistantMessage, Message, ToolResultMessage } from "../../src/core/message.ts";
import { problemsOf, repairTranscript } from "../../src/agent/transcript.ts";
import { talk, user } from "./world.ts";

function says(text: string, ids: readonly string[] = [], stopReason: AssistantMessage["stopReason"] = "stop"): Message {
  return {
    role: "assistant",
    content: [
      ...(text ? [{ type: "text" as const, text }] : []),
      ...ids.map((id) => ({ type: "toolCall" as const, id, name: "a", arguments: {} })),
    ],
    provider: "p",
    model: "m",
    stopReason,
    timestamp: 0,
  };
}

function result(id: string, text = "done"): ToolResultMessage {
  return {
    role: "toolResult",
    toolCallId: id,
    toolName: "a",
    content: [{ type: "text", text }],
    isError: false,
    timestamp: 0,
  };
}

const LOST = "No result: the run was interrupted before or during this call. Check what it did before calling again.";
const CASES: readonly { name: string; messages: Message[]; problems: number; repaired: string[] }[] = [
  {
    name: "lets a sound conversation alone",
    messages: [user("go"), says("", ["1", "2"]), result("1"), result("2"), says("ok")],
    problems: 0,
    repaired: ["user: go", "assistant: [1][2]", "1: done", "2: done", "assistant: ok"],
  },
  {
    name: "answers what was not",
    messages: [says("", ["1", "2"]), result("1"), user("on")],
    problems: 1,
    repaired: ["assistant: [1][2]", "1: done", `2!: ${LOST}`, "user: on"],
  },
  {
    name: "puts results into the order of the calls and drops second ones",
    messages: [says("", ["1", "2"]), result("2"), result("1"), result("1", "again")],
    problems: 3,
    repaired: ["assistant: [1][2]", "1: done", "2: done"],
  },
  {
    name: "drops results without a call, failed replies and empty ones",
    messages: [result("0"), user("go"), says("x", ["1"], "error"), result("1"), says(" "), user("on")],
    problems: 3,
    repaired: ["user: go", "user: on"],
  },
  {
    name: "tells equal ids of two replies apart",
    messages: [says("", ["1"]), result("1", "first"), says("", ["1"]), result("1", "second")],
    problems: 0,
    repaired: ["assistant: [1]", "1: first", "assistant: [1]", "1: second"],
  },
  {
    name: "answers two calls of one id twice",
    messages: [says("", ["1", "1"]), result("1", "first"), result("1", "second")],
    problems: 0,
    repaired: ["assistant: [1][1]", "1: first", "1: second"],
  },
];
for (const { name, messages, problems, repaired } of CASES) {
  Deno.test(`repairTranscript() ${name} R270`, () => {
    assertEquals(problemsOf(messages).length, problems);
    assertEquals(talk(repairTranscript(messages, () => 0)), repaired);
  });
}

const someMessage = fc.oneof(
  fc.constant(user("u")),
  fc.tuple(
    fc.constantFrom("", "t"),
    fc.array(fc.constantFrom("1", "2", "3"), { maxLength: 3 }),
    fc.constantFrom("stop" as const, "error" as const, "aborted" as const),
  )
    .map(([text, ids, stop]) => says(text, ids, stop)),
  fc.constantFrom("1", "2", "3").map((id) => result(id)),
);

Deno.test("repairTranscript() always gives a conversation without problems, and repairs nothing twice", () => {
  fc.assert(fc.property(fc.array(someMessage, { maxLength: 12 }), (messages) => {
    const repaired = repairTranscript(messages, () => 0);
    assertEquals(problemsOf(repaired), []);
    assertEquals(repairTranscript(repaired, () => 1), repaired);
    if (problemsOf(messages).length === 0) assertEquals(repaired, messages);
  }));
});
