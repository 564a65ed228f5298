import { assertEquals } from "@std/assert";
import { collect, leaklessTest, requestOf, serve } from "../wire_server.ts";
import { connect, event, replyEvents } from "./wire.ts";

leaklessTest("what is not known in a stream is told of a few times, however many kinds of it there are", async () => {
  const unknown = Array.from({ length: 100 }, (_, at) => event(`strange_${at}`)).join("");
  await using server = serve(() =>
    new Response(unknown + replyEvents([{ type: "text", text: "Hello." }]), {
      headers: { "content-type": "text/event-stream" },
    })
  );
  const { events, message } = await collect(connect(server.url), requestOf());
  assertEquals([message.stopReason, events.filter(({ type }) => type === "notice").length], ["stop", 8]);
});
