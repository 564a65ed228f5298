import { assertEquals } from "@std/assert";
import type { AgentEvent } from "../../src/core/event.ts";
import type { AssistantMessage } from "../../src/core/message.ts";
import { textMode } from "../../src/cli/mode_text.ts";

function reply(text: string): AssistantMessage {
  return {
    role: "assistant",
    content: [{ type: "text", text }],
    provider: "t",
    model: "t",
    stopReason: "stop",
    timestamp: 0,
  };
}

async function* events(...list: AgentEvent[]): AsyncGenerator<AgentEvent> {
  yield* list;
}

Deno.test("textMode() prints the last assistant text once, with one newline and no control sequences R260", async () => {
  const answers: string[] = [];
  const outcome = await textMode(
    events(
      { type: "message_end", message: reply("looking") },
      { type: "message_end", message: reply("\x1b]0;x\x07Done.\n\n") },
      { type: "agent_end", messages: [], ending: "done" },
    ),
    { answer: (text) => answers.push(text) > 0, warn: () => {} },
  );
  assertEquals([answers, outcome.ending], [["Done.\n"], "done"]);
});

Deno.test("textMode() prints no half answer of a failed run", async () => {
  const answers: string[] = [];
  await textMode(
    events({ type: "message_end", message: reply("half") }, { type: "agent_end", messages: [], ending: "error" }),
    { answer: (text) => answers.push(text) > 0, warn: () => {} },
  );
  assertEquals(answers, []);
});
