import { assertEquals } from "@std/assert";
import { outgoing } from "../../../src/cli/rpc/outgoing.ts";

/** A reader that takes at most `most` bytes at a time. */
function slowReader(most: number) {
  const decoder = new TextDecoder();
  const seen = { text: "" };
  return {
    seen,
    write: async (bytes: Uint8Array): Promise<number> => {
      await Promise.resolve();
      const taken = bytes.subarray(0, most);
      seen.text += decoder.decode(taken);
      return taken.length;
    },
  };
}

Deno.test("outgoing() writes every value as a line, in order, also those that come in the moment when the last is done", async () => {
  const { seen, write } = slowReader(3);
  const output = outgoing(write);
  for (let i = 0; i < 200; i++) {
    output.send({ i });
    // Every possible distance from the end of the writing before.
    for (let step = 0; step < i % 13; step++) await Promise.resolve();
  }
  await output.flush(1000);
  assertEquals(seen.text, Array.from({ length: 200 }, (_, i) => `{"i":${i}}\n`).join(""));
});

Deno.test("outgoing() says so when a write fails, and writes no more", async () => {
  let writes = 0;
  const output = outgoing(() => {
    writes++;
    return Promise.reject(new Deno.errors.BrokenPipe());
  });
  output.send({});
  await output.flush(1000);
  output.send({});
  await output.flush(1000);
  assertEquals([output.gone.aborted, writes], [true, 1]);
});

Deno.test("outgoing() gives up a reader that lets too much wait", () => {
  const output = outgoing(() => new Promise(() => {}), 30);
  output.send({ a: 1 });
  assertEquals([output.gone.aborted, output.isBehind()], [false, false]);
  output.send({ text: "xxxxxxxxxxxxxxxxxxxxxxxxx" });
  assertEquals([output.gone.aborted, output.isBehind()], [true, true]);
});

Deno.test("outgoing() ends with a notice for a reader that is behind and reads again: whole lines, and no more after it", async () => {
  const { seen, write } = slowReader(3);
  const gate = Promise.withResolvers<void>();
  let reads = 0;
  const output = outgoing(async (bytes) => {
    // It stops reading in the middle of a line.
    if (++reads === 3) await gate.promise;
    return await write(bytes);
  }, 100);
  for (let i = 0; i < 10; i++) {
    output.send({ line: i });
    await new Promise((later) => setTimeout(later, 0));
  }
  assertEquals(output.isBehind(), true);
  gate.resolve();
  await output.flush(5000);
  output.send({ late: true });
  await output.flush(5000);
  const lines = seen.text.trimEnd().split("\n").map((line) => JSON.parse(line));
  assertEquals(lines.length, 2);
  assertEquals([lines[0], lines[1].type, lines[1].level], [{ line: 0 }, "notice", "error"]);
});

Deno.test("outgoing() does not wait for ever for the last lines", async () => {
  const output = outgoing(() => new Promise(() => {}));
  output.send({});
  await output.flush(20);
});
