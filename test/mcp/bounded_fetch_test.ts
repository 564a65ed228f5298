import { assertEquals, assertRejects } from "@std/assert";
import { boundedFetch } from "../../src/mcp/bounded_fetch.ts";

const MIB = 1024 * 1024;

function serve(type: string, chunks: Iterable<Uint8Array>): () => Promise<Response> {
  return () => Promise.resolve(new Response(ReadableStream.from(chunks), { headers: { "content-type": type } }));
}

function* repeat(chunk: Uint8Array, times: number): Iterable<Uint8Array> {
  for (let n = 0; n < times; n++) yield chunk;
}

const size = async (fetch: () => Promise<Response>, now: () => number): Promise<number> => {
  const response = await boundedFetch({ fetch }, now)("http://x/");
  return (await response.arrayBuffer()).byteLength;
};

let clock = 0;
/** Seconds go by between pieces. */
const slowly = (): number => clock += 2_000;
const still = (): number => 0;
const block = new Uint8Array(MIB).fill(120);

Deno.test("boundedFetch() ends an answer that is too long", async () => {
  assertEquals(await size(serve("application/json", repeat(block, 8)), slowly), 8 * MIB);
  await assertRejects(() => size(serve("application/json", repeat(block, 9)), slowly), Error, "more than 8 MiB");
});

Deno.test("boundedFetch() lets events go on and ends one that does not end", async () => {
  for (const end of ["\n\n", "\r\n\r\n", "\r\r"]) {
    const event = new TextEncoder().encode(`data: ${"x".repeat(MIB)}${end}`);
    assertEquals(await size(serve("text/event-stream", repeat(event, 12)), slowly), 12 * event.length);
  }
  const lines = new TextEncoder().encode(`data: ${"x".repeat(MIB)}\r\n`);
  await assertRejects(() => size(serve("text/event-stream", repeat(lines, 9)), slowly), Error, "more than 8 MiB");
  // The empty line that ends an event may be cut in two.
  const halves = ["x".repeat(5 * MIB) + "\n", "\n" + "x".repeat(5 * MIB)].map((half) => new TextEncoder().encode(half));
  assertEquals(await size(serve("text/event-stream", halves), slowly), 10 * MIB + 2);
});

Deno.test("boundedFetch() ends a flood of events", async () => {
  const event = new TextEncoder().encode(`data: ${"x".repeat(MIB)}\n\n`);
  await assertRejects(() => size(serve("text/event-stream", repeat(event, 70)), still), Error, "more than anybody");
});
