import { assertEquals, assertStringIncludes } from "@std/assert";
import { manPage } from "../../scripts/docs/man.ts";
import { COMMANDS } from "../../src/config/options/commands.ts";
import { FLAGS } from "../../src/config/options/flags.ts";

const groff = new Deno.Command("groff", { args: ["--version"], stdout: "null", stderr: "null" });
const hasGroff = await groff.output().then(({ success }) => success, () => false);
if (!hasGroff) console.log("groff is not installed: the manual page is not set by it");

Deno.test("manPage() has every option and every command", () => {
  const page = manPage();
  const names = [...FLAGS, ...COMMANDS.flatMap(({ flags }) => flags)].map(({ name }) => name.replaceAll("-", "\\-"));
  assertEquals(names.filter((name) => !page.includes(`\\-\\-${name}\\fR`)), []);
  for (const { name } of COMMANDS) assertStringIncludes(page, `\n.B ${name}\n`);
});

Deno.test({
  name: "manPage() is set without a warning, and says what it means",
  ignore: !hasGroff,
  fn: async () => {
    const child = new Deno.Command("groff", {
      args: ["-man", "-ww", "-Tutf8", "-P-c"],
      ...{ stdin: "piped", stdout: "piped", stderr: "piped" } as const,
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(manPage()));
    await writer.close();
    const { stdout, stderr } = await child.output();
    assertEquals(new TextDecoder().decode(stderr), "");
    // deno-lint-ignore no-control-regex -- bold is overstriking here
    const page = new TextDecoder().decode(stdout).replace(/.\x08/g, "");
    for (const part of ["-r, --resume [ID]", "--allow-read[=PATH,...]", "EXIT STATUS"]) {
      assertStringIncludes(page, part);
    }
  },
});
