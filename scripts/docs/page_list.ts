import { join } from "@std/path";

/** One page of docs/. */
export interface ListedPage {
  /** Name of the file without `.md`. */
  readonly name: string;
  /** What the page helps with: one sentence without a period. */
  readonly about: string;
}

/** A section of the documentation, in reading order. */
export interface Section {
  readonly title: string;
  readonly pages: readonly ListedPage[];
}

const page = (name: string, about: string): ListedPage => ({ name, about });

/** All pages of docs/ except the index itself. */
export const SECTIONS: readonly Section[] = [
  {
    title: "Start here",
    pages: [
      page("tutorial", "Learn the program in an hour, without an API key"),
      page("install", "Install, update and remove sandpiper"),
    ],
  },
  {
    title: "How-to guides",
    pages: [
      page("permissions", "Allow what a denied call needs"),
      page("facts", "Verify a run with checks and reports"),
      page("undo", "Undo and redo changes"),
      page("trial", "Try changes on a copy and apply them as a patch"),
      page("plan", "Let the model plan before it changes anything"),
      page("prompt", "Customize and inspect the system prompt"),
      page("skills", "Teach the model a task with a SKILL.md file"),
      page("templates", "Turn prompts that you repeat into commands"),
      page("mcp", "Connect MCP servers"),
      page("agents", "Delegate work to sub-agents"),
      page("ci", "Run sandpiper on GitHub and GitLab"),
      page("batch", "Run many tasks"),
      page("scale", "Spread a batch over several machines"),
      page("check", "Use recorded runs as tests"),
      page("pack", "Build your own binary with your skills and settings"),
      page("acp", "Use sandpiper in an editor"),
      page("telemetry", "Export traces with OpenTelemetry"),
      page("recipes", "Copy commands for common jobs"),
      page("troubleshooting", "Find what a message means and how to fix it"),
    ],
  },
  {
    title: "Reference",
    pages: [
      page("cli", "Commands, modes, input, output and exit codes"),
      page("options", "All command line options"),
      page("settings", "All settings"),
      page("sandbox", "Sandbox levels, scopes, limits and protected paths"),
      page("tui", "Keys and commands of the terminal UI"),
      page("tools", "The tools of the model"),
      page("providers", "Providers, models and keys"),
      page("sessions", "Session files, resume, export and audit"),
      page("extensions", "The extension API"),
      page("sdk", "The TypeScript SDK"),
      page("rpc", "The RPC protocol"),
      page("platforms", "Tested and untested systems"),
    ],
  },
  {
    title: "Explanation",
    pages: [
      page("sandbox-design", "How the sandbox works inside"),
      page("known-gaps", "Threat model and known gaps of the sandbox"),
      page("comparison", "sandpiper next to pi, Codex, Claude Code and opencode"),
      page("performance", "Measured speed and memory"),
    ],
  },
];

/** Returns docs/index.md. Throws if SECTIONS and the files of docs/ differ. */
export function indexPage(root: string): string {
  const listed = SECTIONS.flatMap(({ pages }) => pages.map(({ name }) => `${name}.md`));
  const present = [...Deno.readDirSync(join(root, "docs"))].map(({ name }) => name)
    .filter((name) => name.endsWith(".md") && name !== "index.md");
  const different = present.filter((name) => !listed.includes(name))
    .concat(listed.filter((name) => !present.includes(name)));
  if (different.length > 0) {
    throw new Error(`SECTIONS of scripts/docs/page_list.ts and docs/ differ: ${different.join(", ")}`);
  }
  const titleOf = (name: string): string =>
    /^# (.*)$/m.exec(Deno.readTextFileSync(join(root, "docs", `${name}.md`)))?.[1] ?? name;
  return [
    "# Documentation",
    "",
    "<!-- made from scripts/docs/page_list.ts by deno task docs; do not edit -->",
    ...SECTIONS.flatMap(({ title, pages }) => [
      "",
      `## ${title}`,
      "",
      ...pages.map(({ name, about }) => `- [${titleOf(name)}](${name}.md): ${about}`),
    ]),
    "",
    "`deno task docs-html` writes all pages as one HTML page with a search.",
    "",
  ].join("\n");
}
