import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { Message, RequestMessage } from "../../../src/core/message.ts";
import { createChatMessages } from "../../../src/provider/openai/chat_messages.ts";
import { growing } from "../../../src/provider/openai/conversation.ts";
import { createResponsesRequest } from "../../../src/provider/openai/responses_request.ts";
import { combined } from "../../../src/provider/capabilities/capabilities.ts";
import { knownCapabilities } from "../../../src/provider/capabilities/known.ts";

const TARGET = { takes: combined(knownCapabilities("http://127.0.0.1", "m")), host: "127.0.0.1", model: "m" };

function user(content: string): Message {
  return { role: "user", content, timestamp: 0 };
}

function reply(text: string, calls: readonly string[]): Message {
  const content = [
    { type: "text" as const, text },
    ...calls.map((id) => ({ type: "toolCall" as const, id, name: "read", arguments: {} })),
  ];
  return { role: "assistant", content, provider: "p", model: "m", stopReason: "stop", timestamp: 0 };
}

function result(toolCallId: string): Message {
  const content = [{ type: "text" as const, text: `result of ${toolCallId}` }];
  return { role: "toolResult", toolCallId, toolName: "read", content, isError: false, timestamp: 0 };
}

/** Both APIs' builders, made anew for each conversation. */
const BUILDERS = {
  "createChatMessages()": () => createChatMessages(TARGET),
  "createResponsesRequest()": () => {
    const build = createResponsesRequest(TARGET);
    return (messages: readonly Message[]) =>
      build({ system: { stable: "", dynamic: "" }, messages, tools: [], thinking: "off" });
  },
} as const;

function checkGrowth(builder: () => (messages: readonly Message[]) => unknown): void {
  const id = fc.constantFrom("a", "b", "c");
  const message = fc.oneof(
    fc.string().map(user),
    fc.tuple(fc.string(), fc.array(id, { maxLength: 3 })).map(([text, calls]) => reply(text, calls)),
    id.map(result),
  );
  const step = fc.record({ keep: fc.nat(20), add: fc.array(message, { maxLength: 6 }) });
  fc.assert(fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
    const convert = builder();
    let messages: readonly Message[] = [];
    for (const { keep, add } of steps) {
      messages = [...messages.slice(0, keep), ...add];
      assertEquals(convert(messages), builder()([...messages]));
    }
  }));
}

for (const [name, builder] of Object.entries(BUILDERS)) {
  Deno.test(`${name} gives for a conversation that grew, shrank or changed what it gives for a new one R422`, () =>
    checkGrowth(builder));
}

Deno.test("growing() converts nothing that stands before the newest reply again", () => {
  const seen: RequestMessage[] = [];
  const convert = growing<RequestMessage>((messages, made) => {
    seen.push(...messages);
    return [...made, ...messages];
  });
  const messages: Message[] = [];
  for (let turn = 0; turn < 50; turn++) {
    messages.push(user(`${turn}`), reply("", ["a"]), result("a"));
    assertEquals(convert(messages), messages);
  }
  assert(seen.length < 50 * 7, String(seen.length));
});
