import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { textOf } from "../../src/core/message.ts";
import { withSession } from "./world.ts";

for (const level of ["auto", "permissions"] as const) {
  Deno.test(`tools say that the workspace was deleted, and make none in its place: sandbox ${level}`, () => {
    const calls = [
      { name: "write", args: { path: "a.txt", content: "x" } },
      { name: "edit", args: { path: "a.txt", edits: [{ oldText: "a", newText: "b" }] } },
      { name: "read", args: { path: "a.txt" } },
      { name: "bash", args: { command: "pwd" } },
    ];
    const replies = [{ calls: calls.slice(0, 1) }, { text: "one" }, { calls }, { text: "two" }, { calls }, {
      text: "3",
    }];
    return withSession({ replies, args: ["--sandbox", level, "--no-session"] }, async ({ engine, say, ws }) => {
      await say("first");
      Deno.removeSync(ws, { recursive: true });
      await say("second");
      const results = () =>
        engine.messages().flatMap((one) => one.role === "toolResult" ? [[textOf(one.content), one.isError]] : []);
      const gone = results().slice(1);
      assertEquals(gone.length, 4);
      for (const [text, isError] of gone) {
        assertEquals(isError, true);
        assertStringIncludes(String(text), `the workspace ${ws} does not exist any more`);
      }
      assertThrows(() => Deno.statSync(ws), Deno.errors.NotFound);
      // It is there again.
      Deno.mkdirSync(ws);
      await say("third");
      assert(results().slice(5).some(([text]) => String(text).startsWith("Successfully wrote")));
      assertEquals(Deno.readTextFileSync(`${ws}/a.txt`), "x");
    });
  });
}
