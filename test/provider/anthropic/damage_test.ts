import { assert, assertEquals } from "@std/assert";
import { collect, leaklessTest, requestOf, serve } from "../wire_server.ts";
import { type Block, connect, event, READ, replyEvents } from "./wire.ts";

const BLOCKS: readonly Block[] = [
  { type: "thinking", thinking: "Thinking of ü and 😀. ", signature: "SIG" },
  { type: "redacted_thinking", data: "XXXX" },
  { type: "text", text: "I look into two files.\n" },
  { type: "tool_use", id: "toolu_1", name: "read", input: { path: 'a "quoted" name.ts' } },
  { type: "tool_use", id: "toolu_2", name: "read", input: { path: "b.ts" } },
];

/** Random numbers that are the same in every run. */
function seeded(seed: number): (below: number) => number {
  let state = seed * 2654435761 + 1;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9) | 0;
    return ((state >>> 0) % below + below) % below;
  };
}

/** A stream with one to three things wrong with it. */
function damaged(text: string, random: (below: number) => number): Uint8Array<ArrayBuffer> {
  let events = text.split(/(?<=\n\n)/);
  for (let left = 1 + random(3); left > 0; left--) {
    const at = random(events.length);
    const one = events[at] ?? "";
    const cut = random(one.length + 1);
    switch (random(10)) {
      case 0: // the connection ends
        events = [...events.slice(0, at), one.slice(0, cut)];
        break;
      case 1: // an event is lost
        events = events.toSpliced(at, 1);
        break;
      case 2: // comes twice
        events = events.toSpliced(at, 0, one);
        break;
      case 3: // loses its end
        events = events.toSpliced(at, 1, one.slice(0, cut));
        break;
      case 4: // changes places
        events = events.toSpliced(at, 1).toSpliced(random(events.length), 0, one);
        break;
      case 5: // has other words in it
        events = events.toSpliced(at, 1, one.slice(0, cut) + "\u0000}{\n" + one.slice(cut));
        break;
      case 6: // has values of another kind
        events = events.toSpliced(
          at,
          1,
          one.replace(/"(?:index|type|delta|text|usage|content_block)":/, (key) => `${key}[null,1e999],"was":`),
        );
        break;
      case 7: // another index
        events = events.toSpliced(at, 1, one.replace(/"index":\d+/, () => `"index":${[-1, 3, 99, 1.5][random(4)]}`));
        break;
      case 8: // an error between them
        events = events.toSpliced(at, 0, event("error", { error: [null, { type: "overloaded_error" }][random(2)] }));
        break;
      default: // something else
        events = events.toSpliced(
          at,
          0,
          [": comment\n\n", "data: [DONE]\n\n", "event: x\n\n", "data: 7\n\n", "\r\n"][random(5)] ?? "",
        );
    }
    if (events.length === 0) events = [""];
  }
  const bytes = new TextEncoder().encode(events.join(""));
  if (random(4) === 0 && bytes.length > 0) bytes[random(bytes.length)] = random(256);
  return bytes;
}

leaklessTest("damaged streams end with exactly one end, and no call of them runs with half its input", async () => {
  const whole = replyEvents(BLOCKS, { step: 5 });
  const ends: Record<string, number> = {};
  const inputs = new Set(BLOCKS.flatMap((block) => block.type === "tool_use" ? [JSON.stringify(block.input)] : []));
  let strange = 0;
  let sent = { bytes: new Uint8Array(), size: 1 };
  const headers = { "content-type": "text/event-stream" };
  await using server = serve(() => new Response(cut(sent.bytes, sent.size), { headers }));
  const provider = connect(server.url);
  for (let seed = 0; seed < 600; seed++) {
    const random = seeded(seed);
    const bytes = damaged(whole, random);
    const size = [1, 7, 64, 64, 1_000_000, 1_000_000][random(6)] ?? 1;
    sent = { bytes, size };
    const { message, events } = await collect(provider, requestOf({ tools: [READ] }));
    const { stopReason } = message;
    ends[stopReason] = (ends[stopReason] ?? 0) + 1;
    assert(["stop", "toolUse", "error"].includes(stopReason), `seed ${seed}: ${stopReason}`);
    assertEquals(stopReason === "error", message.failure !== undefined, `seed ${seed}`);
    assertEquals(stopReason === "toolUse", message.content.some(({ type }) => type === "toolCall"), `seed ${seed}`);
    assertEquals(events.at(-1)?.type, "end");
    // A letter in an input may be another one, or a piece of it may have come twice: nobody can tell.
    for (const part of message.content) {
      if (part.type !== "toolCall" || part.refused || inputs.has(JSON.stringify(part.arguments))) continue;
      strange++;
      assertEquals(Object.keys(part.arguments), ["path"], `seed ${seed}`);
    }
  }
  assert((ends.error ?? 0) > 100 && (ends.toolUse ?? 0) > 50, JSON.stringify(ends));
  assert(strange < 60, `${strange}`);
});

/** Bytes in pieces of `size`. */
function cut(bytes: Uint8Array<ArrayBuffer>, size: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at < bytes.length) controller.enqueue(bytes.slice(at, at += size));
      else controller.close();
    },
  });
}

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
