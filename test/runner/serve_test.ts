import { assertEquals, assertThrows } from "@std/assert";
import * as z from "zod/mini";
import type { JsonObject } from "../../src/core/json.ts";
import { cleanJson, messageText, ProtocolError, readAnswer, type RunnerAnswer } from "../../src/core/protocol.ts";
import { errorResult, textResult, type Tool } from "../../src/core/tool.ts";
import { openFiles } from "../../src/runner/files/files.ts";
import { serve } from "../../src/runner/serve.ts";
import { until } from "../helpers/until.ts";
import { policyFor } from "./world.ts";

const FRAME = { description: "", promptSnippet: "", needs: [], readOnly: true, place: "runner" } as const;

const TOOLS = [
  {
    ...FRAME,
    name: "wait",
    args: () => z.object({ ms: z.number() }),
    run: ({ ms }, { signal, update }) =>
      new Promise((resolve) => {
        update(`waiting ${ms}`);
        const timer = setTimeout(() => resolve(textResult(`waited ${ms}`)), ms);
        signal.addEventListener("abort", () => {
          clearTimeout(timer);
          resolve(errorResult("Operation aborted"));
          setTimeout(() => update("too late"), 1);
        });
      }),
  } satisfies Tool<{ ms: number }>,
  { ...FRAME, name: "odd", args: () => z.object({}), run: () => Promise.resolve(textResult("x", { constructor: 1 })) },
  { ...FRAME, name: "endless", args: () => z.object({}), run: () => Promise.resolve(textResult("x".repeat(65 << 20))) },
  // A tool of any arguments stands in a list as a tool of unknown ones; dispatch validates before it runs one.
] as unknown as readonly Tool[];

// The copy of an object is an object.
const policy = cleanJson(policyFor("/work")) as JsonObject;
const hello = messageText({ v: 1, id: "h", op: "hello", policy });
const tool = (id: string, name: string, args: JsonObject = {}): string =>
  messageText({ v: 1, id, op: "tool", name, args });

/** A serving side and what it has sent; `settled` waits for so many final answers. */
function serving(): {
  receive: (text: string) => void;
  sent: RunnerAnswer[];
  settled: (count: number) => Promise<void>;
} {
  const sent: RunnerAnswer[] = [];
  const { receive } = serve({ tools: () => TOOLS, openFiles, send: (text) => void sent.push(readAnswer(text)) });
  const settled = async (count: number): Promise<void> => {
    await until(() => sent.filter((answer) => !("update" in answer)).length >= count);
  };
  return { receive, sent, settled };
}

Deno.test("serve() runs calls side by side and answers each with its id", async () => {
  const { receive, sent, settled } = serving();
  [hello, tool("slow", "wait", { ms: 400 }), tool("fast", "wait", { ms: 1 })].forEach(receive);
  await settled(3);
  assertEquals(sent, [
    { v: 1, id: "h", ok: { content: [] } },
    { v: 1, id: "slow", update: "waiting 400" },
    { v: 1, id: "fast", update: "waiting 1" },
    { v: 1, id: "fast", ok: textResult("waited 1") },
    { v: 1, id: "slow", ok: textResult("waited 400") },
  ]);
});

Deno.test("serve() aborts the call that cancel names, and sends nothing for it afterwards", async () => {
  const { receive, sent, settled } = serving();
  [hello, tool("a", "wait", { ms: 60_000 }), tool("b", "wait", { ms: 300 })].forEach(receive);
  await until(() => sent.length >= 3);
  receive(messageText({ v: 1, id: "c", op: "cancel", call: "a" }));
  receive(messageText({ v: 1, id: "d", op: "cancel", call: "unknown" }));
  await settled(3);
  assertEquals(sent.slice(3), [
    { v: 1, id: "a", ok: errorResult("Operation aborted") },
    { v: 1, id: "b", ok: textResult("waited 300") },
  ]);
});

Deno.test("serve() does not begin a call that is cancelled in the next line", async () => {
  const { receive, sent, settled } = serving();
  [hello, tool("a", "wait", { ms: 60_000 })].forEach(receive);
  receive(messageText({ v: 1, id: "c", op: "cancel", call: "a" }));
  await settled(2);
  assertEquals(sent.slice(1), [{ v: 1, id: "a", ok: errorResult("Operation aborted") }]);
});

Deno.test("serve() answers with an error what it cannot send", async () => {
  const { receive, sent, settled } = serving();
  [hello, tool("a", "odd"), tool("b", "endless")].forEach(receive);
  await settled(3);
  assertEquals(sent.slice(1), [
    { v: 1, id: "a", error: 'The result cannot be sent: the message holds the key "constructor"' },
    { v: 1, id: "b", error: "The result cannot be sent: the message is too large" },
  ]);
});

Deno.test("serve() throws for what no honest host sends", async () => {
  const open = (): (text: string) => void => {
    const { receive } = serving();
    receive(hello);
    return receive;
  };
  assertThrows(() => serving().receive(tool("a", "wait", { ms: 1 })), ProtocolError, "a call before hello");
  assertThrows(() => serving().receive(messageText({ v: 1, id: "h", op: "hello", policy: {} })), ProtocolError, "root");
  assertThrows(() => open()(hello), ProtocolError, "a second hello");
  assertThrows(() => open()("{}"), ProtocolError);
  const { receive: twice, settled } = serving();
  twice(hello);
  twice(tool("a", "wait", { ms: 1 }));
  assertThrows(() => twice(tool("a", "wait", { ms: 1 })), ProtocolError, "the id of another");
  await settled(2);
});

Deno.test("warm() makes what a first call needs, is told to nobody and never rejects", async () => {
  const sent: string[] = [];
  const rehearsed: unknown[] = [];
  let schemas = 0;
  const tools = [
    {
      ...FRAME,
      name: "read",
      args: () => {
        schemas++;
        return z.object({ path: z.string() });
      },
      run: ({ path }: { path: string }) => {
        rehearsed.push(path);
        throw new Error("it is a folder");
      },
    },
    {
      ...FRAME,
      name: "broken",
      args: (): never => {
        throw new Error("no schema");
      },
      run: () => Promise.resolve(textResult("x")),
    },
  ] as unknown as readonly Tool[]; // as above
  const { receive, warm, isIdle } = serve({ tools: () => tools, openFiles, send: (text) => void sent.push(text) });
  await warm(); // before anybody has said hello
  assertEquals([schemas, sent], [0, []]);
  receive(hello);
  await warm();
  assertEquals([schemas, sent.length, isIdle()], [1, 1, true]);
  const whole = serve({ tools: () => tools.slice(0, 1), openFiles, send: (text) => void sent.push(text) });
  whole.receive(hello);
  await whole.warm();
  assertEquals([rehearsed, sent.length], [["/work"], 2]);
});
