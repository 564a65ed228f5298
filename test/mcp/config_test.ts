import { assertEquals } from "@std/assert";
import { isStdio, readServer, timesOf, type WrittenServer } from "../../src/mcp/config.ts";

const CASES: readonly { readonly name: string; readonly written: WrittenServer; readonly why?: string }[] = [
  { name: "a program", written: { command: "x", args: ["y"], env: { A: "1" }, envFrom: ["B"], cwd: "/", callMs: 5 } },
  { name: "an address", written: { url: "https://x", headers: { a: "b" }, headerEnv: { c: "D" }, startMs: 5 } },
  { name: "a program with its type", written: { type: "stdio", command: "x" } },
  { name: "an address with its type", written: { type: "http", url: "https://x" } },
  {
    name: "the older transport",
    written: { type: "sse", url: "https://x" },
    why: 'its type "sse" (HTTP with a separate stream of events) is not supported',
  },
  {
    name: "the type of another kind",
    written: { type: "http", command: "x" },
    why: 'its type is "http", but it has a command',
  },
  { name: "neither", written: {}, why: 'it has neither a "command" nor a "url"' },
  { name: "both", written: { command: "x", url: "https://x" }, why: "it has both a command and a url; keep one" },
  { name: "no command", written: { command: "" }, why: "its command is empty" },
  {
    name: "headers of a program",
    written: { command: "x", headers: {} },
    why: '"headers" is not for a server with a command',
  },
  {
    name: "arguments of an address",
    written: { url: "https://x", args: [] },
    why: '"args" is not for a server with a url',
  },
];

for (const { name, written, why } of CASES) {
  Deno.test(`readServer() of ${name}`, () => {
    assertEquals<unknown>(readServer(written), why === undefined ? written : { why });
  });
}

Deno.test("isStdio() and timesOf() tell kinds apart and know the defaults", () => {
  assertEquals([isStdio({ command: "x" }), isStdio({ url: "https://x" })], [true, false]);
  assertEquals(timesOf({ command: "x" }), { startMs: 10_000, callMs: 60_000 });
  assertEquals(timesOf({ command: "x", startMs: 1, callMs: 2 }), { startMs: 1, callMs: 2 });
});
