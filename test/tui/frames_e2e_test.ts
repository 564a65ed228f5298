import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { hasTmux } from "./pty.ts";
import { inTerminal, shown } from "./world.ts";

const ANSWER = [
  "# A heading",
  "",
  "Some *words* with `code`, a [link](https://example.org/a) and 漢字 and 👩‍👩‍👧.",
  "",
  "1. one",
  "2. two",
  "   - inner",
  "",
  "> quoted",
  "",
  "| a | b |",
  "|---|---|",
  "| 1 | 2 |",
  "",
  "```ts",
  "const x = 1; // one",
  "```",
].join("\n");

for (const [columns, rows] of [[80, 24], [200, 60]] as const) {
  Deno.test({
    name: `an answer in Markdown looks right at ${columns}×${rows}`,
    ignore: !hasTmux,
    fn: () =>
      inTerminal({ columns, rows, replies: [{ text: ANSWER, chunkChars: 7 }] }, async (pty, places) => {
        await pty.see("write: .");
        await pty.type("show");
        await pty.keys("Enter");
        await pty.see("const x");
        await pty.gone("Esc stops");
        const rule = "─".repeat(columns);
        const link = "Some words with code, a link (https://example.org/a) and 漢字 and 👩‍👩‍👧.";
        assertEquals(
          shown(await pty.screen(true), places).split("\n").slice(0, -2),
          `\
sandpiper 0.1.0 · /help

❯ show

A heading

${link}

1. one
2. two
    - inner

│ quoted

┌───┬───┐
│ a │ b │
├───┼───┤
│ 1 │ 2 │
└───┴───┘

  ts
  const x = 1; // one

${rule}

${rule}`.split("\n"),
        );
      }),
  });
}

Deno.test({
  name: "an answer is written once: a bounded number of bytes for each piece of it, and no line of it twice",
  ignore: !hasTmux,
  fn: () => {
    const text = Array.from({ length: 120 }, (_, at) => `Paragraph ${at} has a few words and then some more.`).join(
      "\n\n",
    );
    return inTerminal({ replies: [{ text, chunkChars: 5 }] }, async (pty) => {
      await pty.see("write: .");
      const before = pty.written().length;
      await pty.type("go");
      await pty.keys("Enter");
      await pty.see("Paragraph 119 ");
      await pty.gone("Esc stops");
      const bytes = pty.written().length - before;
      const pieces = text.length / 5;
      assert(bytes / pieces < 400, `${Math.round(bytes / pieces)} bytes a piece`);
      const all = (await pty.screen(true)).match(/^Paragraph \d+ /gm) ?? [];
      assertEquals(all.length, 120);
      assertEquals(new Set(all).size, 120);
      assertStringIncludes(pty.written(), "\x1b[?2026h");
    });
  },
});
