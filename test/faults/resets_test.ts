import { assert, assertEquals } from "@std/assert";
import { toolCallsOf } from "../../src/core/message.ts";
import { openChat } from "../../src/provider/openai/chat.ts";
import { openResponses } from "../../src/provider/openai/responses.ts";
import { TOOLS } from "../provider/fixture_files.ts";
import { collect, requestOf } from "../provider/wire_server.ts";
import { wired } from "./replies.ts";
import { seeded } from "../helpers/seeded.ts";
import { serveWire } from "./wire.ts";

const TURN = { text: "So: größer.", calls: [{ name: "bash", args: { command: "echo one" } }] };
const OPEN = { chat: openChat, responses: openResponses };

for (const api of ["chat", "responses"] as const) {
  for (const end of ["reset", "close"] as const) {
    Deno.test(`a ${api} reply whose connection ends with a ${end} after any of its bytes is whole or asked for again`, async () => {
      const { events, last } = wired(TURN, api, seeded(1));
      const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
      const bytes = new TextEncoder().encode(head + events.join(""));
      const needed = new TextEncoder().encode(head + events.slice(0, last).join("")).length;
      let until = 0;
      await using server = await serveWire(() => [
        ...(until === 0 ? [] : [{ type: "write" as const, bytes: bytes.subarray(0, until) }]),
        { type: end },
      ]);
      const provider = OPEN[api]({ baseUrl: `${server.origin}/v1`, apiKey: "k", model: "m" });
      for (; until <= bytes.length; until++) {
        const { message: { stopReason, failure, content }, message } = await collect(
          provider,
          requestOf({ tools: TOOLS }),
        );
        if (stopReason === "error") {
          const { kind, retry } = failure!;
          assertEquals([kind, retry, toolCallsOf(message)], ["network", true, []], `after ${until} bytes`);
          continue;
        }
        assert(until > needed, `taken for whole after ${until} of ${bytes.length} bytes`);
        const calls = toolCallsOf(message).map(({ name, arguments: args }) => ({ name, args }));
        assertEquals<unknown>([stopReason, calls], ["toolUse", TURN.calls], `after ${until} bytes`);
        assertEquals<unknown>(content[0], { type: "text", text: TURN.text });
      }
    });
  }
}
