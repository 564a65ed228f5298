import { assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { applyDelta, contextDelta, messageTexts } from "../../../src/hooks/events/context_delta.ts";
import { extension, never, openWorld } from "../world.ts";

Deno.test("applyDelta() makes of any list what contextDelta() was told", () => {
  const list = fc.array(fc.string({ unit: "binary" }), { maxLength: 6 });
  fc.assert(fc.property(list, list, list, (common, before, now) => {
    const [from, to] = [[...common, ...before], [...common, ...now]];
    assertEquals(applyDelta(from, contextDelta(from, to)), to);
  }));
});

Deno.test("contextDelta() holds new messages only", () => {
  assertEquals(contextDelta(["a", "bb"], ["a", "bb", "ccc"]), "2 3\nccc");
});

Deno.test("messageTexts() makes the text of a message once", () => {
  const textsOf = messageTexts();
  const message = { role: "user" };
  const first = textsOf([message]);
  message.role = "changed"; // messages never change; that it is not seen shows that nothing was made anew
  assertEquals(textsOf([message]), first);
});

Deno.test("a worker sees each conversation whole: grown, shortened, changed by others R193 R194", async () => {
  using world = await openWorld({
    "extensions/a.ts": extension(`
      sp.on("context", ({ messages }) => messages.length === 2 ? { messages: messages.slice(1) } : undefined);`),
    "extensions/b.ts": extension(`
      sp.on("context", ({ messages }) => ({ messages: [...messages, { role: "user", content: String(messages.length), timestamp: 0 }] }));`),
  });
  const user = (content: string) => ({ role: "user" as const, content, timestamp: 1 });
  const all = [user("a"), user("b\n"), user("ü€")];
  const contents = async (length: number) =>
    (await world.hooks.context(all.slice(0, length), never)).map((message) => "content" in message && message.content);
  assertEquals([await contents(1), await contents(3), await contents(2), await contents(3)], [
    ["a", "1"],
    ["a", "b\n", "ü€", "3"],
    ["b\n", "1"],
    ["a", "b\n", "ü€", "3"],
  ]);
});
