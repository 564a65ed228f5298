// JSON that goes to standard output or into a report is read by people in a terminal, too.
import { assertEquals } from "@std/assert";
import { jsonMode } from "../../../src/cli/modes/json.ts";
import type { AgentEvent } from "../../../src/core/event.ts";
import { visibleJson } from "../../../src/core/support/text.ts";

const STEERING = "\x1b]0;x\x07 \x7f \x9b5m \u202e \u2066";
// deno-lint-ignore no-control-regex -- controls are what this is about
const OBEYED = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;

Deno.test("visibleJson() escapes what steers a terminal and means the same", () => {
  for (const value of [STEERING, { [STEERING]: [STEERING] }, "žluťoučký 日本 👩‍👩‍👧 \\u202e", null]) {
    for (const indent of [undefined, 2]) {
      const json = visibleJson(value, indent);
      assertEquals([JSON.parse(json), OBEYED.test(json)], [value, false]);
    }
  }
});

Deno.test("lines of JSON mode steer no terminal", async () => {
  let out = "";
  async function* events(): AsyncIterable<AgentEvent> {
    yield { type: "message_update", assistantMessageEvent: { type: "text_delta", delta: STEERING } } as AgentEvent;
  }
  const header = { id: STEERING, timestamp: "t", cwd: STEERING };
  await jsonMode(header, events(), (text) => Promise.resolve((out += text, true)));
  const lines = out.trimEnd().split("\n").map((line) => JSON.parse(line));
  assertEquals([lines[0].cwd, lines[1].assistantMessageEvent.delta], [STEERING, STEERING]);
  assertEquals(OBEYED.test(out), false);
});
