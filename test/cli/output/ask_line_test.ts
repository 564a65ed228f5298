import { assertEquals } from "@std/assert";

const MODULE = new URL("../../../src/cli/output/ask_line.ts", import.meta.url).href;

Deno.test("askYes() takes y and yes alone for a yes, and askLine() gives the words of a line", async () => {
  const script = `import { askLine, askYes } from ${JSON.stringify(MODULE)};
    const answers = Array.from({ length: 7 }, () => askYes("Sure?", Deno.stderr));
    console.log(JSON.stringify([...answers, askLine("Name?", Deno.stderr), askLine("", Deno.stderr)]));`;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["eval", "--quiet", script],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode("y\nYES\n yes \nyesterday\nno\n\nok y\nAnn B"));
  await writer.close();
  const { stdout, stderr } = await child.output();
  const [text, asked] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  assertEquals(JSON.parse(text ?? ""), [true, true, true, false, false, false, false, "Ann B", null], asked);
  assertEquals(asked, `${"Sure? [y/N] ".repeat(7)}Name? `);
});
