import { assertEquals, assertThrows } from "@std/assert";
import { BrokenConnection, messageReader } from "../../src/mcp/lines.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const message = (id: number): string => JSON.stringify({ jsonrpc: "2.0", id, result: { text: 'ä\u2028\\"{[' } }) + "\n";

Deno.test("messageReader() puts messages together from whatever pieces they come in X15", () => {
  const whole = bytes(message(1) + message(2) + "\r\n" + message(3));
  for (const size of [1, 2, 3, 7, 50, whole.length]) {
    const read = messageReader(() => 0);
    const ids: unknown[] = [];
    for (let at = 0; at < whole.length; at += size) {
      for (const one of read(whole.slice(at, at + size))) ids.push("id" in one ? one.id : one);
    }
    assertEquals(ids, [1, 2, 3]);
  }
});

Deno.test("messageReader() passes over some lines that are no message, and gives up a program that writes many", () => {
  const read = messageReader(() => 0);
  assertEquals(read(bytes('hello\n[]\n{"jsonrpc":"1.0"}\n{broken\nnull\n' + message(1))).length, 1);
  assertThrows(() => read(bytes("hello\n".repeat(100))), BrokenConnection, "something else than messages");
});

Deno.test("messageReader() keeps no more than a message may have", () => {
  const read = messageReader(() => 0);
  const block = new Uint8Array(1024 * 1024).fill(120);
  for (let at = 0; at < 8; at++) read(block);
  assertThrows(() => read(block), BrokenConnection, "more than 8 MiB");
});

Deno.test("messageReader() does not parse what is nested too deeply", () => {
  const deep = (depth: number): string =>
    `{"jsonrpc":"2.0","method":"x","params":${"[".repeat(depth)}${"]".repeat(depth)}}\n`;
  assertEquals(messageReader(() => 0)(bytes(deep(100))).length, 1);
  assertThrows(() => messageReader(() => 0)(bytes(deep(1_000_000))), BrokenConnection, "nested too deeply");
});

Deno.test("messageReader() lets so many messages a second pass and no more", () => {
  let now = 0;
  const read = messageReader(() => now);
  assertEquals(read(bytes(message(1).repeat(1000))).length, 1000);
  assertThrows(() => read(bytes(message(1))), BrokenConnection, "more than anybody could read");
  now = 2_000;
  assertEquals(read(bytes(message(1))).length, 1);
});
