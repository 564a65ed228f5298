import { assertEquals, assertStringIncludes } from "@std/assert";
import { COMMANDS } from "../../../src/config/options/commands.ts";
import { FLAGS } from "../../../src/config/options/flags.ts";
import { helpText } from "../../../src/cli/commands/help.ts";

Deno.test("helpText() names every option and command of the tables", () => {
  const help = helpText();
  for (const flag of FLAGS) assertStringIncludes(help, `--${flag.name}`);
  for (const command of COMMANDS) assertStringIncludes(help, `  ${command.name}`);
});

Deno.test("helpText() names the options of a command", () => {
  assertStringIncludes(helpText("prompt"), "--section ID");
});

Deno.test("helpText() has three examples, and says where settings and documentation are", () => {
  const help = helpText(undefined, { settings: "/h/settings.json", docs: "/d" });
  const [, examples = ""] = /\nExamples:\n([\s\S]*?)\n\n/.exec(help) ?? [];
  assertEquals(examples.split("\n").length, 3);
  for (const part of ["/h/settings.json", "/d/docs", ".sandpiper/settings.json", "129"]) {
    assertStringIncludes(help, part);
  }
  assertStringIncludes(helpText(), "~/.sandpiper/agent/settings.json");
});

Deno.test("helpText() fits 120 columns", () => {
  const long = [undefined, ...COMMANDS.map((command) => command.name)].flatMap((name) =>
    helpText(name).split("\n").filter((line) => line.length > 120)
  );
  assertEquals(long, []);
});

Deno.test("FLAGS has each name and each short letter once", () => {
  const names = FLAGS.map((flag) => flag.name);
  const shorts = FLAGS.flatMap((flag) => "short" in flag ? [flag.short] : []);
  assertEquals([new Set(names).size, new Set(shorts).size], [names.length, shorts.length]);
});
