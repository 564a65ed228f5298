import { assertEquals } from "@std/assert";
import type { AssistantMessage } from "../../src/core/message.ts";
import { continuationOf, joinReplies, stoppedReply } from "../../src/agent/joined_reply.ts";
import { talk } from "./world.ts";

const from = { role: "assistant", provider: "p", model: "m" } as const;
const cut: AssistantMessage = {
  ...from,
  content: [{ type: "thinking", thinking: "hm" }, { type: "text", text: "one " }],
  stopReason: "length",
  timestamp: 1,
};

Deno.test("joinReplies() puts reasoning first, then the joined text, then the calls R255", () => {
  const next: AssistantMessage = {
    ...from,
    content: [{ type: "text", text: "two" }, { type: "toolCall", id: "1", name: "a", arguments: {} }],
    stopReason: "toolUse",
    keep: { signature: "s" },
    timestamp: 2,
  };
  assertEquals(joinReplies(undefined, next), next);
  assertEquals(joinReplies(cut, next), {
    ...from,
    content: [
      { type: "thinking", thinking: "hm" },
      { type: "text", text: "one two" },
      { type: "toolCall", id: "1", name: "a", arguments: {} },
    ],
    stopReason: "toolUse",
    keep: { signature: "s" },
    timestamp: 1,
  });
});

Deno.test("stoppedReply() keeps text alone", () => {
  const reply: AssistantMessage = {
    ...cut,
    content: [...cut.content, { type: "toolCall", id: "1", name: "a", arguments: {} }],
    failure: { kind: "aborted", message: "stopped", retry: false },
    errorMessage: "stopped",
    keep: { half: "signature" },
  };
  assertEquals(stoppedReply(reply), {
    ...from,
    content: [{ type: "text", text: "one " }],
    stopReason: "aborted",
    timestamp: 1,
  });
});

Deno.test("continuationOf() ends with the user, and is empty where nothing was said", () => {
  assertEquals(talk(continuationOf(cut)), ["assistant: one ", "user: Continue."]);
  assertEquals(continuationOf({ ...cut, content: [{ type: "thinking", thinking: "hm" }] }), []);
});
