import { assert, assertEquals, assertRejects } from "@std/assert";
import { type ByteReader, readBytes } from "../../../src/core/support/byte_reader.ts";

const TEXT = "abcdefghij".repeat(10_000);
const encoder = new TextEncoder();

async function readAll(reader: ByteReader): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for (let bytes = await reader.read(); bytes !== undefined; bytes = await reader.read()) {
    text += decoder.decode(bytes, { stream: true });
  }
  return text;
}

function chunks(size: number): Uint8Array<ArrayBuffer>[] {
  const bytes = encoder.encode(TEXT);
  return Array.from(
    { length: Math.ceil(bytes.length / size) },
    (_, i) => bytes.slice(i * size, (i + 1) * size),
  );
}

function source(parts: Uint8Array<ArrayBuffer>[]) {
  return {
    pull(controller: { enqueue(bytes: Uint8Array<ArrayBuffer>): void; close(): void; byobRequest?: unknown }) {
      const next = parts.shift();
      if (next !== undefined) return controller.enqueue(next);
      controller.close();
      // A stream of bytes that is waited for in a buffer has to give that back too.
      const request = controller.byobRequest;
      if (request instanceof ReadableStreamBYOBRequest) request.respond(0);
    },
  };
}

for (const size of [1000, 7, 70_000]) {
  Deno.test(`readBytes() gives all bytes of a stream of bytes that come ${size} at a time`, async () => {
    const parts = chunks(size);
    assertEquals(await readAll(readBytes(new ReadableStream({ type: "bytes", ...source(parts) }))), TEXT);
  });
}

Deno.test("readBytes() gives pieces of the size that was asked for", async () => {
  const reader = readBytes(new ReadableStream({ type: "bytes", ...source(chunks(1000)) }), 512);
  assertEquals([(await reader.read())?.length, (await reader.read())?.length], [512, 488]);
  assertEquals((await readAll(reader)).length, TEXT.length - 1000);
});

Deno.test("readBytes() reads a stream that cannot fill a buffer", async () => {
  assertEquals(await readAll(readBytes(new ReadableStream(source(chunks(999))))), TEXT);
});

Deno.test("readBytes() reads a response over the wire, and rejects when the connection breaks", async () => {
  const isRead = Promise.withResolvers<void>();
  const breaking = new ReadableStream({
    async pull(controller) {
      controller.enqueue(encoder.encode("begun"));
      await isRead.promise;
      controller.error(new Error("gone"));
    },
  });
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    ({ url }) => new Response(url.endsWith("/whole") ? new ReadableStream(source(chunks(5000))) : breaking),
  );
  try {
    const url = `http://127.0.0.1:${server.addr.port}`;
    assertEquals(await readAll(readBytes((await fetch(`${url}/whole`)).body!)), TEXT);
    const reader = readBytes((await fetch(`${url}/broken`)).body!);
    assertEquals(new TextDecoder().decode(await reader.read()), "begun");
    isRead.resolve();
    await assertRejects(() => reader.read());
  } finally {
    await server.shutdown();
  }
});

Deno.test("readBytes() gives the rest up and never rejects when that fails", async () => {
  let isCancelled = false;
  const cancel = (): never => {
    isCancelled = true;
    throw new Error("cannot be cancelled");
  };
  for (const type of ["bytes", undefined] as const) {
    isCancelled = false;
    const reader = readBytes(
      new ReadableStream(type ? { type, ...source(chunks(100)), cancel } : { ...source(chunks(100)), cancel }),
    );
    assertEquals((await reader.read())?.length, 100);
    await reader.cancel();
    assert(isCancelled);
  }
});
