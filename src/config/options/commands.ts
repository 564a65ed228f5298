import type { Flag } from "./flag.ts";

/** One command beside the plain run. */
export interface Command {
  readonly name: string;
  readonly help: string;
  /** What its first word may be, where that is one of a list. */
  readonly verbs?: readonly string[];
  /** No words follow it: where some do, all of them are a message (`update the docs`). */
  readonly isAlone?: boolean;
  /** Options that only this command has. */
  readonly flags: readonly Flag[];
}

/** All commands, in the order of the help text. */
export const COMMANDS: readonly Command[] = [
  {
    name: "demo",
    help: "watch a recorded task on a project of its own; no key, no network",
    flags: [],
  },
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
    help: "what this machine and settings can do; --model: ask the model",
    flags: [
      { name: "json", kind: "boolean", group: "Output", help: "as JSON" },
      {
        name: "yes",
        kind: "boolean",
        group: "Output",
        help: "with --model: send the requests and store what they teach",
      },
    ],
  },
  {
    name: "models",
    help: "models of every provider that has a key: window, output, price",
    flags: [
      { name: "json", kind: "boolean", group: "Output", help: "as JSON" },
      { name: "provider", kind: "string", value: "NAME", group: "Output", help: "one provider alone" },
      { name: "check", kind: "boolean", group: "Output", help: "ask each provider, and say which do not answer" },
    ],
  },
  {
    name: "sessions",
    help: "list, search, show, tree, export, import, rename, delete sessions",
    verbs: ["list", "search", "show", "tree", "export", "import", "rename", "delete"],
    flags: [
      { name: "json", kind: "boolean", group: "Output", help: "list, search, show, tree: as JSON" },
      { name: "all", kind: "boolean", group: "Output", help: "list, search, export, delete: of every workspace" },
      {
        name: "older-than",
        kind: "duration",
        value: "AGE",
        group: "Output",
        help: "delete: those not written to for so long, for example 30d",
      },
      { name: "yes", kind: "boolean", group: "Output", help: "delete: without asking" },
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
        help: "export: a new file, not stdout; without an ID a folder for all of them",
      },
    ],
  },
  {
    name: "batch",
    help: "many tasks: batch FILE -o DIR; results: batch report DIR [DIR]",
    verbs: ["report"],
    flags: [
      {
        name: "output",
        short: "o",
        kind: "string",
        value: "DIR",
        group: "Output",
        help: "where results go; report: a new file",
      },
      {
        name: "jobs",
        kind: "number",
        value: "N",
        group: "Output",
        help: "how many run side by side (default: cores, as memory allows)",
      },
      {
        name: "attempts",
        kind: "number",
        value: "N",
        group: "Output",
        help: "how often each task is run that does not say so (default 1)",
      },
      {
        name: "shard",
        kind: "string",
        value: "K/N",
        group: "Output",
        help: "the Kth of N parts (default: as the scheduler says); all: no part",
      },
      {
        name: "retry",
        kind: "boolean",
        group: "Output",
        help: "run again what failed because of the model, its server or the machine",
      },
      {
        name: "limit-cost",
        kind: "number",
        value: "USD",
        group: "Output",
        help: "cost of all attempts together; --timeout is for all, too",
      },
      {
        name: "format",
        kind: "string",
        value: "FORMAT",
        choices: ["text", "md", "json", "html"],
        group: "Output",
        help: "report: text (default), md, json or html",
      },
    ],
  },
  {
    name: "check",
    help: "recorded runs against today's prompt and policy: check FILE…",
    flags: [
      { name: "update", kind: "boolean", group: "Output", help: "accept what is not the same any more" },
      {
        name: "from",
        kind: "number",
        value: "N",
        group: "Output",
        help: "play the first N replies and go on live, with --model ID",
      },
      { name: "json", kind: "boolean", group: "Output", help: "as JSON" },
    ],
  },
  {
    name: "undo",
    help: "put files back as they were before a prompt: undo [ID]",
    flags: [
      {
        name: "to",
        kind: "string",
        value: "N",
        group: "Output",
        help: "the prompt with this number or entry, not the last",
      },
      { name: "redo", kind: "boolean", group: "Output", help: "take the last undo back" },
      { name: "list", kind: "boolean", group: "Output", help: "the prompts that can be gone back to" },
      { name: "dry-run", kind: "boolean", group: "Output", help: "only say what would be done" },
      { name: "force", kind: "boolean", group: "Output", help: "also overwrite what somebody else changed since" },
      { name: "json", kind: "boolean", group: "Output", help: "as JSON" },
    ],
  },
  {
    name: "apply",
    help: "apply the patch of a trial: apply [ID|FILE] [PATH...]",
    flags: [
      { name: "dry-run", kind: "boolean", group: "Output", help: "only say whether it fits" },
      { name: "json", kind: "boolean", group: "Output", help: "as JSON" },
    ],
  },
  {
    name: "audit",
    help: "what a session sent, and its tool calls: audit ID",
    flags: [
      { name: "json", kind: "boolean", group: "Output", help: "as JSON" },
      { name: "turn", kind: "number", value: "N", group: "Output", help: "only the user's Nth prompt" },
      { name: "diff", kind: "boolean", group: "Output", help: "audit ID --diff A B: what differs between two rounds" },
    ],
  },
  {
    name: "skills",
    help: "list skills, or check them: skills [list|validate DIR]",
    verbs: ["list", "validate"],
    flags: [{ name: "json", kind: "boolean", group: "Output", help: "as JSON" }],
  },
  {
    name: "agents",
    help: "list agents, or check their files: agents [list|validate FILE]",
    verbs: ["list", "validate"],
    flags: [{ name: "json", kind: "boolean", group: "Output", help: "as JSON" }],
  },
  {
    name: "tool",
    help: "one tool call in the sandbox: tool NAME JSON, tool bash -- ls -la",
    verbs: ["read", "bash", "edit", "write", "grep", "find", "ls", "fetch", "web_search"],
    flags: [],
  },
  {
    name: "mcp",
    help: "MCP servers: list; add NAME URL; test, remove, login, logout NAME",
    verbs: ["list", "add", "test", "remove", "login", "logout"],
    flags: [
      { name: "json", kind: "boolean", group: "Output", help: "list: as JSON" },
      {
        name: "exposure",
        kind: "string",
        value: "MODE",
        choices: ["all", "search", "names"],
        group: "Output",
        help: "add: how its tools reach the model",
      },
      {
        name: "env",
        kind: "repeat",
        value: "NAME",
        group: "Output",
        help: "add, a program: a variable of yours that it gets; may repeat",
      },
      {
        name: "header-env",
        kind: "repeat",
        value: "HEADER=NAME",
        group: "Output",
        help: "add, an address: a header, and the variable with its value; may repeat",
      },
    ],
  },
  {
    name: "pack",
    help: "a program of your own: skills, prompt, settings and scopes inside",
    flags: [
      { name: "name", kind: "string", value: "NAME", group: "Output", help: "what it is called (default: its file)" },
      {
        name: "output",
        short: "o",
        kind: "string",
        value: "FILE",
        group: "Output",
        help: "the program that is written",
      },
      { name: "skills", kind: "repeat", value: "DIR", group: "Output", help: "every skill below a folder; may repeat" },
      {
        name: "templates",
        kind: "repeat",
        value: "DIR",
        group: "Output",
        help: "the templates of a folder; may repeat",
      },
      { name: "agents", kind: "repeat", value: "DIR", group: "Output", help: "the agents of a folder; may repeat" },
      {
        name: "settings",
        kind: "string",
        value: "FILE",
        group: "Output",
        help: "settings that hold for whoever runs it",
      },
      {
        name: "policy",
        kind: "string",
        value: "FLAGS",
        takesOptions: true,
        group: "Output",
        help: 'scopes and limits that nobody widens: "--read-only --max-turns 20"',
      },
      { name: "open", kind: "boolean", group: "Output", help: "files of the same name may stand in for those inside" },
      {
        name: "target",
        kind: "string",
        value: "BINARY",
        group: "Output",
        help: "the sandpiper to pack into (default: this)",
      },
      {
        name: "inspect",
        kind: "boolean",
        group: "Output",
        help: "pack --inspect FILE: what is in it, all of it checked",
      },
      { name: "json", kind: "boolean", group: "Output", help: "as JSON" },
    ],
  },
  {
    name: "completions",
    help: "words for the Tab key: completions bash, zsh or fish",
    verbs: ["bash", "zsh", "fish"],
    flags: [],
  },
  {
    name: "update",
    help: "how this was installed, and what brings a newer version",
    isAlone: true,
    flags: [{ name: "json", kind: "boolean", group: "Output", help: "as JSON" }],
  },
  {
    name: "acp",
    help: "serve editors that speak the Agent Client Protocol",
    flags: [],
  },
];
