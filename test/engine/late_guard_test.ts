import { assert, assertEquals } from "@std/assert";
import { textOf } from "../../src/core/message.ts";
import { brought } from "./brought.ts";
import { withSession } from "./world.ts";

const write = (path: string) => ({ calls: [{ name: "write", args: { path, content: "x" } }] });

Deno.test("a guard that is registered during a run guards from the next call on, and a new result handler sees it", () =>
  withSession({
    replies: [{ calls: [{ name: "arm", args: {} }] }, write("guarded.txt"), { text: "done" }],
    ...brought((sp) =>
      sp.registerTool({
        name: "arm",
        description: "registers the guard",
        parameters: { type: "object", properties: {} },
        execute: () => {
          sp.on("tool_call", ({ toolName }) => toolName === "write" ? { block: true, reason: "guarded" } : undefined);
          sp.on("tool_result", ({ toolName }) =>
            toolName === "arm" ? { content: [{ type: "text", text: "seen" }] } : undefined);
          return "armed";
        },
      })
    ),
  }, async ({ engine, say, ws }) => {
    assertEquals(await say("go"), "done");
    assertEquals([...Deno.readDirSync(ws)].map(({ name }) => name), []);
    const results = engine.messages().flatMap((one) => one.role === "toolResult" ? [textOf(one.content)] : []);
    assertEquals(results[0], "seen");
    assert(results[1]?.includes("guarded"), results[1]);
  }));
