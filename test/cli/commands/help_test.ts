import { assertEquals, assertStringIncludes } from "@std/assert";
import { COMMANDS } from "../../../src/config/options/commands.ts";
import { FLAGS } from "../../../src/config/options/flags.ts";
import { helpText } from "../../../src/cli/commands/help.ts";

Deno.test("helpText() names every option and command of the tables", () => {
  const help = helpText("all");
  for (const flag of FLAGS) assertStringIncludes(help, `--${flag.name}`);
  for (const command of COMMANDS) assertStringIncludes(help, `  ${command.name}`);
});

Deno.test("helpText() names the options of a command", () => {
  assertStringIncludes(helpText("prompt"), "--section ID");
});

Deno.test("helpText() has three examples, and says where settings and documentation are", () => {
  const places = { settings: "/h/settings.json", docs: "/d" };
  const whole = helpText("all", places);
  for (const help of [whole, helpText(undefined, places)]) {
    const [, examples = ""] = /\nExamples:\n([\s\S]*?)\n\n/.exec(help) ?? [];
    assertEquals(examples.split("\n").length, 3);
    for (const part of ["/h/settings.json", "/d/docs"]) assertStringIncludes(help, part);
  }
  for (const part of [".sandpiper/settings.json", "129"]) assertStringIncludes(whole, part);
  assertStringIncludes(helpText(), "~/.sandpiper/agent/settings.json");
});

Deno.test("helpText() is short, has every command, leads to the rest, and names options that there are", () => {
  const help = helpText();
  const lines = help.trimEnd().split("\n");
  assertEquals([lines.length <= 42, lines.filter((line) => line.length > 80)], [true, []]);
  for (const command of COMMANDS) assertStringIncludes(help, `\n  ${command.name} `);
  assertStringIncludes(help, "sandpiper help all");
  const names: readonly string[] = FLAGS.map((flag) => flag.name);
  const named = Array.from(help.matchAll(/--([a-z-]+)/g), ([, name = ""]) => name);
  assertEquals(named.filter((name) => !names.includes(name)), []);
});

Deno.test("helpText() fits 120 columns", () => {
  const long = [undefined, "all", ...COMMANDS.map((command) => command.name)].flatMap((name) =>
    helpText(name).split("\n").filter((line) => line.length > 120)
  );
  assertEquals(long, []);
});

Deno.test("FLAGS has each name and each short letter once", () => {
  const names = FLAGS.map((flag) => flag.name);
  const shorts = FLAGS.flatMap((flag) => "short" in flag ? [flag.short] : []);
  assertEquals([new Set(names).size, new Set(shorts).size], [names.length, shorts.length]);
});
