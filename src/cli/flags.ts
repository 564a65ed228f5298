/** How an option takes its value. `scope`: bare means everything, `=a,b` a list, as in Deno. */
export type FlagKind = "boolean" | "string" | "number" | "duration" | "list" | "repeat" | "scope";

/** One command-line option; parser, `--help` and docs/cli.md come from this table. */
export interface Flag {
  readonly name: string;
  readonly short?: string;
  readonly kind: FlagKind;
  /** Placeholder of the value in the help text. */
  readonly value?: string;
  /** Allowed values. */
  readonly choices?: readonly string[];
  readonly help: string;
  readonly group: "Run" | "Session" | "Model" | "Prompt" | "Tools and their scope" | "Limits" | "Output";
  /** Key in settings.json that the option overrides. */
  readonly setting?: string;
}

/** All options, in the order of the help text. */
export const FLAGS = [
  { name: "print", short: "p", kind: "boolean", group: "Run", help: "text mode: only the final answer on stdout" },
  {
    name: "mode",
    kind: "string",
    value: "MODE",
    choices: ["interactive", "text", "json", "rpc"],
    group: "Run",
    help: "interactive, text, json (one event per line), or rpc (for programs)",
  },
  {
    name: "cwd",
    short: "C",
    kind: "string",
    value: "DIR",
    group: "Run",
    help: "working directory: the workspace root",
  },
  {
    name: "trust",
    kind: "boolean",
    group: "Run",
    help: "load this project's own settings, SYSTEM.md and skills",
  },
  { name: "no-trust", kind: "boolean", group: "Run", help: "leave them out, whatever was answered before" },
  {
    name: "continue",
    short: "c",
    kind: "boolean",
    group: "Session",
    help: "go on with the newest session of this workspace",
  },
  {
    name: "resume",
    short: "r",
    kind: "string",
    value: "ID",
    group: "Session",
    help: "go on with a session: its id, the beginning of it, or a file",
  },
  { name: "fork", kind: "string", value: "ID", group: "Session", help: "start from a copy of a session" },
  { name: "no-session", kind: "boolean", group: "Session", help: "keep nothing of this session" },
  { name: "session-dir", kind: "string", value: "DIR", group: "Session", help: "where sessions are kept" },
  {
    name: "model",
    short: "m",
    kind: "string",
    value: "ID",
    group: "Model",
    setting: "model",
    help: "model id, provider/id, or replay:FILE",
  },
  {
    name: "base-url",
    kind: "string",
    value: "URL",
    group: "Model",
    setting: "baseUrl",
    help: "OpenAI-compatible endpoint (also OPENAI_BASE_URL)",
  },
  {
    name: "api",
    kind: "string",
    value: "API",
    choices: ["chat", "responses"],
    group: "Model",
    setting: "api",
    help: "which OpenAI API: chat (default) or responses",
  },
  {
    name: "api-key-env",
    kind: "string",
    value: "NAME",
    group: "Model",
    setting: "apiKeyEnv",
    help: "variable that holds the key (default OPENAI_API_KEY)",
  },
  {
    name: "thinking",
    kind: "string",
    value: "LEVEL",
    choices: ["off", "minimal", "low", "medium", "high", "xhigh"],
    group: "Model",
    setting: "thinking",
    help: "reasoning effort: off, minimal, low, medium, high, xhigh",
  },
  {
    name: "record",
    kind: "string",
    value: "FILE",
    group: "Model",
    help: "write the model's replies as a cassette for --model replay:FILE",
  },
  {
    name: "system-prompt",
    kind: "string",
    value: "TEXT|FILE",
    group: "Prompt",
    help: "replaces the built-in base prompt, before any SYSTEM.md",
  },
  {
    name: "append-system-prompt",
    kind: "repeat",
    value: "TEXT|FILE",
    group: "Prompt",
    help: "added after the base prompt; may repeat",
  },
  {
    name: "profile",
    kind: "string",
    value: "NAME",
    choices: ["full", "minimal", "none"],
    group: "Prompt",
    setting: "profile",
    help: "how much prompt: full (default), minimal, none",
  },
  { name: "no-context-files", kind: "boolean", group: "Prompt", help: "leave AGENTS.md and CLAUDE.md out" },
  {
    name: "extension",
    short: "e",
    kind: "repeat",
    value: "PATH",
    group: "Prompt",
    help: "load an extension; may repeat",
  },
  { name: "no-extensions", kind: "boolean", group: "Prompt", help: "leave extensions out" },
  { name: "flag", kind: "repeat", value: "NAME[=VALUE]", group: "Prompt", help: "a flag of an extension; may repeat" },
  { name: "no-templates", kind: "boolean", group: "Prompt", help: "leave templates out" },
  {
    name: "template",
    kind: "repeat",
    value: "PATH",
    group: "Prompt",
    help: "add a template file or a folder of them; may repeat",
  },
  { name: "no-skills", kind: "boolean", group: "Prompt", help: "leave skills out" },
  { name: "skill", kind: "repeat", value: "PATH", group: "Prompt", help: "add a skill folder; may repeat" },
  {
    name: "tools",
    short: "t",
    kind: "list",
    value: "LIST",
    group: "Tools and their scope",
    setting: "tools",
    help: "active tools (default read,bash,edit,write; also grep,find,ls,read_skill)",
  },
  { name: "no-tools", kind: "boolean", group: "Tools and their scope", help: "no tools at all" },
  {
    name: "allow-read",
    kind: "scope",
    value: "PATH,…",
    group: "Tools and their scope",
    help: "what tools may read (default: the workspace); bare: everything but secrets",
  },
  {
    name: "allow-write",
    kind: "scope",
    value: "PATH,…",
    group: "Tools and their scope",
    help: "what tools may write (default: the workspace); bare: everything but secrets",
  },
  {
    name: "allow-run",
    kind: "scope",
    value: "PROGRAM,…",
    group: "Tools and their scope",
    help: "programs that bash may start (default where the kernel confines: all)",
  },
  {
    name: "allow-net",
    kind: "scope",
    value: "HOST,…",
    group: "Tools and their scope",
    help: "network of the tools; bare: everything (default: none)",
  },
  {
    name: "allow-env",
    kind: "scope",
    value: "NAME,…",
    group: "Tools and their scope",
    help: "environment variables that tools may see besides the usual ones",
  },
  {
    name: "deny-read",
    kind: "list",
    value: "PATH,…",
    group: "Tools and their scope",
    help: "never readable, whatever is allowed",
  },
  {
    name: "deny-write",
    kind: "list",
    value: "PATH,…",
    group: "Tools and their scope",
    help: "never writable, whatever is allowed",
  },
  {
    name: "read-only",
    kind: "boolean",
    group: "Tools and their scope",
    help: "tools may neither write nor run anything",
  },
  {
    name: "sandbox",
    kind: "string",
    value: "LEVEL",
    choices: ["auto", "kernel", "permissions", "off"],
    group: "Tools and their scope",
    setting: "sandbox",
    help: "what must confine the tools: auto (default), kernel, permissions, off",
  },
  {
    name: "max-turns",
    kind: "number",
    value: "N",
    group: "Limits",
    setting: "limits.maxTurns",
    help: "rounds with the model",
  },
  {
    name: "timeout",
    kind: "duration",
    value: "DURATION",
    group: "Limits",
    setting: "limits.timeoutMs",
    help: "wall clock of the run, for example 90s, 10m, 2h",
  },
  {
    name: "max-tokens-total",
    kind: "number",
    value: "N",
    group: "Limits",
    setting: "limits.maxTokensTotal",
    help: "tokens of all requests together",
  },
  {
    name: "max-cost",
    kind: "number",
    value: "USD",
    group: "Limits",
    setting: "limits.maxCostUsd",
    help: "cost of all requests together",
  },
  { name: "verbose", short: "v", kind: "boolean", group: "Output", help: "progress on stderr" },
  { name: "quiet", short: "q", kind: "boolean", group: "Output", help: "no warnings on stderr" },
  { name: "plain", kind: "boolean", group: "Output", help: "terminal UI in lines only, for screen readers" },
  { name: "no-color", kind: "boolean", group: "Output", help: "no colours (also NO_COLOR)" },
  { name: "help", short: "h", kind: "boolean", group: "Output", help: "this text" },
  { name: "version", kind: "boolean", group: "Output", help: "the version" },
] as const satisfies readonly Flag[];

/** One command beside the plain run. */
export interface Command {
  readonly name: string;
  readonly help: string;
  /** Options that only this command has. */
  readonly flags: readonly Flag[];
}

/** All commands, in the order of the help text. */
export const COMMANDS: readonly Command[] = [
  {
    name: "prompt",
    help: "print the compiled system prompt; needs no key and no network",
    flags: [
      { name: "json", kind: "boolean", group: "Output", help: "as {stable, dynamic, full, manifest}" },
      { name: "manifest", kind: "boolean", group: "Output", help: "only the manifest" },
      { name: "section", kind: "string", value: "ID", group: "Output", help: "one section" },
      { name: "stable", kind: "boolean", group: "Output", help: "only the stable half" },
      { name: "dynamic", kind: "boolean", group: "Output", help: "only the dynamic half" },
    ],
  },
  {
    name: "policy",
    help: "print what tools may touch and what enforces it",
    flags: [{ name: "json", kind: "boolean", group: "Output", help: "as JSON" }],
  },
  {
    name: "doctor",
    help: "check what this machine and configuration can do, each with its fix",
    flags: [{ name: "json", kind: "boolean", group: "Output", help: "as JSON" }],
  },
  {
    name: "sessions",
    help: "stored sessions: list, show ID, tree ID, export ID, import FILE",
    flags: [
      { name: "json", kind: "boolean", group: "Output", help: "list, show, tree: as JSON" },
      { name: "all", kind: "boolean", group: "Output", help: "list: sessions of every workspace" },
      { name: "all-branches", kind: "boolean", group: "Output", help: "show, export: left branches too" },
      {
        name: "format",
        kind: "string",
        value: "FORMAT",
        choices: ["html", "jsonl", "md"],
        group: "Output",
        help: "export: html (default), jsonl or md",
      },
      {
        name: "output",
        short: "o",
        kind: "string",
        value: "FILE",
        group: "Output",
        help: "export: a new file, not stdout",
      },
    ],
  },
  {
    name: "audit",
    help: "what each request of a session was made from, and its tool calls: audit ID",
    flags: [
      { name: "json", kind: "boolean", group: "Output", help: "as JSON" },
      { name: "turn", kind: "number", value: "N", group: "Output", help: "only the user's Nth prompt" },
      { name: "diff", kind: "boolean", group: "Output", help: "audit ID --diff A B: what differs between two rounds" },
    ],
  },
  {
    name: "skills",
    help: "list skills, or check them: skills [list|validate DIR]",
    flags: [{ name: "json", kind: "boolean", group: "Output", help: "as JSON" }],
  },
  {
    name: "tool",
    help: "run one tool call in the sandbox: tool NAME JSON, or tool bash -- COMMAND",
    flags: [],
  },
  {
    name: "acp",
    help: "serve editors that speak the Agent Client Protocol on standard input and output",
    flags: [],
  },
];
