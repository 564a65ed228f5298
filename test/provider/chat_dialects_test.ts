import { assertEquals } from "@std/assert";
import { textOf } from "../../src/core/message.ts";
import { openChat } from "../../src/provider/openai/chat.ts";
import { expectationsFor, expectedSummary, summaryOf } from "./dialect_expectation.ts";
import { readFixture, TOOLS } from "./fixture_files.ts";
import { collect, joined, leaklessTest, requestOf, serve, sse } from "./wire_server.ts";

for (const [file, fixture] of expectationsFor("chat")) {
  for (const size of fixture.deliver?.chunkBytes === undefined ? [100_000, 37, 1] : [fixture.deliver.chunkBytes]) {
    leaklessTest(`openChat() understands ${file} in pieces of ${size} bytes`, async () => {
      await using server = serve(sse(readFixture(`dialects/${file}`), size));
      const provider = openChat({ baseUrl: server.url, apiKey: "k", model: "m", newId: () => "made-up" });
      const { events, message } = await collect(provider, requestOf({ tools: TOOLS }));
      assertEquals<unknown>(summaryOf(message, fixture.trim === true), expectedSummary(fixture, "made-up"));
      assertEquals(joined(events, "text_delta").trim(), textOf(message.content).trim());
      const notices = events.filter(({ type }) => type === "notice").length;
      assertEquals(notices, (fixture.droppedCalls ?? 0) + (fixture.recovered ? 1 : 0));
    });
  }
}
