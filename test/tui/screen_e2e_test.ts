import { assertEquals, assertStringIncludes } from "@std/assert";
import { hasTmux } from "./pty.ts";
import { inTerminal } from "./world.ts";

const ignore = !hasTmux;

Deno.test({
  name: "a message runs to its answer, and leaving gives the terminal back",
  ignore,
  fn: () =>
    inTerminal({
      files: { "add.ts": "export const add = (a, b) => a - b;\n" },
      replies: [
        { text: "I **look**.", calls: [{ name: "read", args: { path: "add.ts" } }] },
        { calls: [{ name: "edit", args: { path: "add.ts", edits: [{ oldText: "a - b", newText: "a + b" }] } }] },
        { text: "It adds now." },
      ],
    }, async (pty, { ws }) => {
      await pty.see("write: .");
      await pty.type("fix add");
      await pty.keys("Enter");
      const screen = await pty.see("It adds now.");
      assertStringIncludes(screen, "+1 export const add = (a, b) => a + b;");
      assertEquals(Deno.readTextFileSync(`${ws}/add.ts`), "export const add = (a, b) => a + b;\n");
      await pty.keys("C-c");
      await pty.see("Ctrl+C again quits");
      await pty.keys("C-c");
      await pty.see("[ended 0] terminal as before");
    }),
});
