/**
 * Writes the pages and the schemas that come from tables: docs/options.md, docs/sandpiper.1, docs/settings.md,
 * docs/requirements.md, docs/*.schema.json, tools/definitions.ts.
 * With `--check` it writes nothing and fails when one of them is stale.
 */
import { join } from "@std/path";
import { COMMANDS } from "../src/config/options/commands.ts";
import type { Flag } from "../src/config/options/flag.ts";
import { FLAGS } from "../src/config/options/flags.ts";
import { eventsSchema } from "../src/cli/rpc/event_schema.ts";
import { reportSchema } from "../src/cli/report/report_schema.ts";
import { SETTINGS } from "../src/config/settings/settings_table.ts";
import { MANIFEST_SCHEMA } from "../src/prompt/manifest_schema.ts";
import { manPage } from "./docs/man.ts";
import { requirementsPage } from "./docs/requirements.ts";

const root = join(import.meta.dirname ?? ".", "..");
const check = Deno.args.includes("--check");
const pages = {
  "docs/options.md": optionsPage(),
  "docs/requirements.md": requirementsPage(root),
  "docs/sandpiper.1": manPage(),
  "docs/settings.md": settingsPage(),
  "docs/settings.schema.json": settingsSchema(),
  "docs/events.schema.json": JSON.stringify(eventsSchema(MANIFEST_SCHEMA), null, 2) + "\n",
  "docs/report.schema.json": JSON.stringify(reportSchema(), null, 2) + "\n",
  "docs/manifest.schema.json": JSON.stringify(MANIFEST_SCHEMA, null, 2) + "\n",
  "tools/definitions.ts": await definitions(),
};

let stale = 0;
for (const [name, text] of Object.entries(pages)) {
  const path = join(root, name);
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
    "The JSON schema is `settings.schema.json` beside this page. `/reload` reads them anew for the prompt, extensions and the",
    "next run; model, queues, servers, keys and what tools may do are those of the start.",
    "",
    ...table(["key", "meaning", "taken from"], rows),
    "",
  ].join("\n");
}

function settingsSchema(): string {
  const properties = Object.fromEntries(
    Object.entries(SETTINGS).map(([key, setting]) => [key, { ...setting.shape, description: setting.help }]),
  );
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "sandpiper settings",
    type: "object",
    properties,
  };
  return JSON.stringify(schema, null, 2) + "\n";
}

/** The tools' definitions as the schemas give them, formatted as `deno fmt` would. */
async function definitions(): Promise<string> {
  const { defineTool } = await import("../tools/definition.ts");
  const { TOOLS } = await import("../tools/mod.ts");
  const { bashInProcess } = await import("../tools/bash_in_process.ts");
  const made = await Promise.all([...TOOLS, bashInProcess].map(defineTool));
  const text = [
    "// Made from the tools' schemas by `deno task docs`; do not edit.",
    'import type { ToolDefinition } from "../src/core/provider.ts";',
    "",
    "/** Definitions of the built-in tools in the order of their table, and of bash where it is an interpreter. */",
    `export const DEFINITIONS: readonly ToolDefinition[] = ${JSON.stringify(made, null, 2)};`,
    "",
  ].join("\n");
  return await formatted(text);
}

async function formatted(text: string): Promise<string> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["fmt", "--config", join(root, "deno.json"), "--ext", "ts", "-"],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(text));
  await writer.close();
  return new TextDecoder().decode((await child.output()).stdout);
}

/** A Markdown table as `deno fmt` writes it. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((title, i) => Math.max(3, title.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(" | ")} |`;
  return [line(head), `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...rows.map(line)];
}
