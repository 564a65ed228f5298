import { assertEquals, assertStringIncludes } from "@std/assert";
import { manPage } from "../../scripts/docs/man.ts";
import { COMMANDS } from "../../src/config/options/commands.ts";
import { FLAGS } from "../../src/config/options/flags.ts";
import { needs } from "../helpers/needs.ts";

Deno.test("manPage() has every option and every command", () => {
  const page = manPage();
  const names = [...FLAGS, ...COMMANDS.flatMap(({ flags }) => flags)].map(({ name }) => name.replaceAll("-", "\\-"));
  assertEquals(names.filter((name) => !page.includes(`\\-\\-${name}\\fR`)), []);
  for (const { name } of COMMANDS) assertStringIncludes(page, `\n.B ${name}\n`);
});

Deno.test({
  ...needs(["groff"], "manPage() is set without a warning, and says what it means"),
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
