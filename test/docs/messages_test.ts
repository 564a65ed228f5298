import { assertEquals } from "@std/assert";
import { unknownMessages } from "../../scripts/docs/messages.ts";

Deno.test("unknownMessages() names the headings that no source has, and knows a message that is written in pieces", () => {
  const root = Deno.makeTempDirSync({ prefix: "sp-messages-" });
  try {
    for (const folder of ["src", "tools"]) Deno.mkdirSync(`${root}/${folder}`);
    Deno.writeTextFileSync(
      `${root}/src/a.ts`,
      'what: `Cannot open ${name} ` +\n  "for writing",\nwhy: "it is \\"gone\\" now",\n',
    );
    Deno.writeTextFileSync(
      `${root}/page.md`,
      [
        "### `Cannot open … for writing`",
        '### `it is "gone" now`',
        "### `Cannot open … for reading`",
        "### `…`",
        "### Words",
      ].join("\n"),
    );
    assertEquals(unknownMessages(root, "page.md"), [
      'page.md: no source has the message "Cannot open … for reading"',
      'page.md: no source has the message "…"',
    ]);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});
