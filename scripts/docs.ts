/**
 * Writes the pages and the schemas that come from tables: docs/index.md, docs/options.md, docs/sandpiper.1,
 * docs/settings.md, dev/requirements.md, docs/performance.md, docs/*.schema.json, tools/definitions.ts.
 * With `--check` it writes nothing and fails when one of them is stale, or docs/troubleshooting.md has a message that no
 * source has.
 */
import { join } from "@std/path";
import { COMMANDS } from "../src/config/options/commands.ts";
import type { Flag } from "../src/config/options/flag.ts";
import { FLAGS } from "../src/config/options/flags.ts";
import { eventsSchema } from "./docs/schemas/events.ts";
import { reportSchema } from "./docs/schemas/report.ts";
import type { Tool } from "../src/core/tool.ts";
import { SETTINGS } from "../src/config/settings/settings_table.ts";
import { settingsPage } from "./docs/settings_page.ts";
import { MANIFEST_SCHEMA } from "./docs/schemas/manifest.ts";
import { manPage } from "./docs/man.ts";
import { unknownMessages } from "./docs/messages.ts";
import { indexPage } from "./docs/page_list.ts";
import { performancePage, readPublished } from "./docs/performance.ts";
import { requirementsPage } from "./docs/requirements.ts";
import { table } from "./docs/table.ts";

const root = join(import.meta.dirname ?? ".", "..");
const check = Deno.args.includes("--check");
const pages = {
  "docs/index.md": indexPage(root),
  "docs/options.md": optionsPage(),
  "docs/performance.md": performancePage(readPublished(root)),
  "dev/requirements.md": requirementsPage(root),
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
for (const problem of unknownMessages(root, "docs/troubleshooting.md")) console.error(problem), stale++;
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
    "<!-- made from the option table by deno task docs; do not edit -->",
    "",
    "What the command line takes; `sandpiper help all` prints the same, and `sandpiper help COMMAND` a command's own. What",
    "has a setting can be said for good, in [settings.json](settings.md).",
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

/** The tools as the host knows them, without their code: their schemas are made here, which costs milliseconds. */
async function definitions(): Promise<string> {
  const { defineTool } = await import("./docs/define_tool.ts");
  const table = await import("../tools/table.ts");
  const lines = Deno.readTextFileSync(join(root, "tools/table.ts"));
  const files = new Map(
    [...lines.matchAll(/^import \{ (\w+) \} from "(\.\/\w+\.ts)"/gm)].map(([, name = "", file = ""]) => [name, file]),
  );
  const whole = new Map<Tool, string>();
  for (const [name, file] of files) whole.set((await import(join(root, "tools", file)))[name], name);
  const described = async (tool: Tool): Promise<string> => {
    const { promptSnippet, promptGuidelines, name, needs, readOnly, keepsApart, place } = tool;
    const definition = await defineTool(tool);
    const data = { name, promptSnippet, promptGuidelines, needs, readOnly, keepsApart, place, definition };
    const exported = whole.get(tool) ?? "";
    const load = `async () => (await import("${files.get(exported)}")).${exported} as Tool`;
    return `  ${JSON.stringify(data).replace(/\}$/, "")}, load: ${load} },`;
  };
  const list = async (tools: readonly Tool[]): Promise<string[]> => await Promise.all(tools.map(described));
  return [
    "// deno-fmt-ignore-file: one line a tool.",
    "// Made from the tools of table.ts by `deno task docs`; do not edit.",
    'import type { ToolDefinition } from "../src/core/provider.ts";',
    'import type { Tool } from "../src/core/tool.ts";',
    "",
    "/** A built-in tool without its code. */",
    'export interface Described extends Omit<Tool, "description" | "args" | "deadlineMs" | "prepare" | "fetches" | "run"> {',
    "  /** As the provider's tool field carries it. */",
    "  readonly definition: ToolDefinition;",
    "  /** The whole tool; loads its code. */",
    "  readonly load: () => Promise<Tool>;",
    "}",
    "",
    "/** The built-in tools in the order of their table. */",
    "export const DESCRIBED: readonly Described[] = [",
    ...await list(table.WHOLE_TOOLS),
    "];",
    "",
    "/** Those that stand in for one of the table under some policies. */",
    "export const SUBSTITUTES: readonly Described[] = [",
    ...await list(table.SUBSTITUTES),
    "];",
    "",
  ].join("\n");
}
