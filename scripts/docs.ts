/**
 * Writes the pages and the schema that come from tables: docs/options.md, docs/settings.md, docs/settings.schema.json.
 * With `--check` it writes nothing and fails when one of them is stale.
 */
import { join } from "@std/path";
import * as z from "zod/mini";
import { COMMANDS, type Flag, FLAGS } from "../src/cli/flags.ts";
import { SETTINGS } from "../src/cli/settings_table.ts";

const docs = join(import.meta.dirname ?? ".", "..", "docs");
const check = Deno.args.includes("--check");
const pages = {
  "options.md": optionsPage(),
  "settings.md": settingsPage(),
  "settings.schema.json": settingsSchema(),
};

let stale = 0;
for (const [name, text] of Object.entries(pages)) {
  const path = join(docs, name);
  if (read(path) === text) continue;
  if (check) console.error(`${name} is stale: run deno task docs`), stale++;
  else Deno.writeTextFileSync(path, text);
}
if (stale > 0) Deno.exit(1);

function read(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return undefined;
  }
}

function optionsPage(): string {
  const groups = [...new Set(FLAGS.map((flag) => flag.group))];
  return [
    "# Options",
    "",
    "Made from the option table by `deno task docs`; do not edit.",
    ...groups.flatMap((group) => ["", `## ${group}`, "", ...optionTable(FLAGS.filter((flag) => flag.group === group))]),
    "",
    "## Commands",
    ...COMMANDS.flatMap((command) => [
      "",
      `### \`sandpiper ${command.name}\``,
      "",
      command.help,
      ...(command.flags.length > 0 ? ["", ...optionTable(command.flags)] : []),
    ]),
    "",
  ].join("\n");
}

function optionTable(flags: readonly Flag[]): string[] {
  const cell = (text: string): string => text.replaceAll("|", "\\|");
  const rows = flags.map((flag) => {
    const value = flag.kind === "boolean" ? "" : flag.kind === "scope" ? `[=${flag.value}]` : ` ${flag.value}`;
    const names = [...(flag.short ? [`\`-${flag.short}\``] : []), `\`--${flag.name}${cell(value)}\``].join(", ");
    return [names, cell(flag.help), flag.setting ? `\`${flag.setting}\`` : ""];
  });
  return table(["option", "meaning", "setting"], rows);
}

function settingsPage(): string {
  const rows = Object.entries(SETTINGS).map(([key, setting]) => [
    `\`${key}\``,
    setting.help.replaceAll("|", "\\|"),
    "userOnly" in setting ? "user" : "user, project",
  ]);
  return [
    "# Settings",
    "",
    "Made from the settings table by `deno task docs`; do not edit.",
    "",
    "`settings.json` in the user's folder, then in the project's (when it is trusted), then the command line. A project may",
    "narrow scope and lower limits, never the other way round. Unknown keys warn; wrong values end the run with exit code 2.",
    "The JSON schema is `settings.schema.json` beside this page.",
    "",
    ...table(["key", "meaning", "taken from"], rows),
    "",
  ].join("\n");
}

function settingsSchema(): string {
  const properties = Object.fromEntries(
    Object.entries(SETTINGS).map(([key, setting]) => {
      const { $schema: _, ...schema } = z.toJSONSchema(setting.schema);
      return [key, { ...schema, description: setting.help }];
    }),
  );
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "sandpiper settings",
    type: "object",
    properties,
  };
  return JSON.stringify(schema, null, 2) + "\n";
}

/** A Markdown table as `deno fmt` writes it. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((title, i) => Math.max(3, title.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(" | ")} |`;
  return [line(head), `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...rows.map(line)];
}
