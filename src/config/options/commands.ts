import { duration, type Flag, inGroup, number, repeat, type Row, text, toggle } from "./flag.ts";

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

/** The commands in the order of the help text. */
const TABLE: readonly (Omit<Command, "flags"> & { readonly flags?: readonly Row[] })[] = [
  { name: "demo", help: "watch a recorded task on a project of its own; no key, no network" },
  {
    name: "prompt",
    help: "print the compiled system prompt; needs no key and no network",
    flags: [
      toggle("json", "as {stable, dynamic, full, manifest}"),
      toggle("manifest", "only the manifest"),
      text("section", "ID", "one section"),
      toggle("stable", "only the stable half"),
      toggle("dynamic", "only the dynamic half"),
    ],
  },
  {
    name: "policy",
    help: "print what tools may touch and what enforces it",
    flags: [toggle("json", "as JSON")],
  },
  {
    name: "doctor",
    help: "what this machine and settings can do; --model: ask the model",
    flags: [
      toggle("json", "as JSON"),
      toggle("yes", "with --model: send the requests and store what they teach"),
    ],
  },
  {
    name: "models",
    help: "models of every provider that has a key: window, output, price",
    flags: [
      toggle("json", "as JSON"),
      text("provider", "NAME", "one provider alone"),
      toggle("check", "ask each provider, and say which do not answer"),
    ],
  },
  {
    name: "sessions",
    help: "list, search, show, tree, export, import, rename, delete sessions",
    verbs: ["list", "search", "show", "tree", "export", "import", "rename", "delete"],
    flags: [
      toggle("json", "list, search, show, tree: as JSON"),
      toggle("all", "list, search, export, delete: of every workspace"),
      duration("older-than", "AGE", "delete: those not written to for so long, for example 30d"),
      toggle("yes", "delete: without asking"),
      toggle("all-branches", "show, export: left branches too"),
      text("format", "FORMAT", "export: html (default), jsonl or md", { choices: ["html", "jsonl", "md"] }),
      text("output", "FILE", "export: a new file, not stdout; without an ID a folder for all of them", { short: "o" }),
    ],
  },
  {
    name: "batch",
    help: "many tasks: batch FILE -o DIR; results: batch report DIR [DIR]",
    verbs: ["report"],
    flags: [
      text("output", "DIR", "where results go; report: a new file", { short: "o" }),
      number("jobs", "N", "how many run side by side (default: cores, as memory allows)"),
      number("attempts", "N", "how often each task is run that does not say so (default 1)"),
      text("shard", "K/N", "the Kth of N parts (default: as the scheduler says); all: no part"),
      toggle("retry", "run again what failed because of the model, its server or the machine"),
      number("limit-cost", "USD", "cost of all attempts together; --timeout is for all, too"),
      text("format", "FORMAT", "report: text (default), md, json or html", { choices: ["text", "md", "json", "html"] }),
    ],
  },
  {
    name: "check",
    help: "recorded runs against today's prompt and policy: check FILE…",
    flags: [
      toggle("update", "accept what is not the same any more"),
      number("from", "N", "play the first N replies and go on live, with --model ID"),
      toggle("json", "as JSON"),
    ],
  },
  {
    name: "undo",
    help: "put files back as they were before a prompt: undo [ID]",
    flags: [
      text("to", "N", "the prompt with this number or entry, not the last"),
      toggle("redo", "take the last undo back"),
      toggle("list", "the prompts that can be gone back to"),
      toggle("dry-run", "only say what would be done"),
      toggle("force", "also overwrite what somebody else changed since"),
      toggle("json", "as JSON"),
    ],
  },
  {
    name: "apply",
    help: "apply the patch of a trial: apply [ID|FILE] [PATH...]",
    flags: [
      toggle("dry-run", "only say whether it fits"),
      toggle("json", "as JSON"),
    ],
  },
  {
    name: "audit",
    help: "what a session sent, and its tool calls: audit ID",
    flags: [
      toggle("json", "as JSON"),
      number("turn", "N", "only the user's Nth prompt"),
      toggle("diff", "audit ID --diff A B: what differs between two rounds"),
    ],
  },
  {
    name: "skills",
    help: "list skills, or check them: skills [list|validate DIR]",
    verbs: ["list", "validate"],
    flags: [toggle("json", "as JSON")],
  },
  {
    name: "agents",
    help: "list agents, or check their files: agents [list|validate FILE]",
    verbs: ["list", "validate"],
    flags: [toggle("json", "as JSON")],
  },
  {
    name: "tool",
    help: "one tool call in the sandbox: tool NAME JSON, tool bash -- ls -la",
    verbs: ["read", "bash", "edit", "write", "grep", "find", "ls", "fetch", "web_search"],
  },
  {
    name: "mcp",
    help: "MCP servers: list; add NAME URL; test, remove, login, logout NAME",
    verbs: ["list", "add", "test", "remove", "login", "logout"],
    flags: [
      toggle("json", "list: as JSON"),
      text("exposure", "MODE", "add: how its tools reach the model", { choices: ["all", "search", "names"] }),
      repeat("env", "NAME", "add, a program: a variable of yours that it gets; may repeat"),
      repeat("header-env", "HEADER=NAME", "add, an address: a header, and the variable with its value; may repeat"),
    ],
  },
  {
    name: "pack",
    help: "a program of your own: skills, prompt, settings and scopes inside",
    flags: [
      text("name", "NAME", "what it is called (default: its file)"),
      text("output", "FILE", "the program that is written", { short: "o" }),
      repeat("skills", "DIR", "every skill below a folder; may repeat"),
      repeat("templates", "DIR", "the templates of a folder; may repeat"),
      repeat("agents", "DIR", "the agents of a folder; may repeat"),
      text("settings", "FILE", "settings that hold for whoever runs it"),
      text("policy", "FLAGS", 'scopes and limits that nobody widens: "--read-only --max-turns 20"', {
        takesOptions: true,
      }),
      toggle("open", "files of the same name may stand in for those inside"),
      text("target", "BINARY", "the sandpiper to pack into (default: this)"),
      toggle("inspect", "pack --inspect FILE: what is in it, all of it checked"),
      toggle("json", "as JSON"),
    ],
  },
  {
    name: "completions",
    help: "words for the Tab key: completions bash, zsh or fish",
    verbs: ["bash", "zsh", "fish"],
  },
  {
    name: "update",
    help: "how this was installed, and what brings a newer version",
    isAlone: true,
    flags: [toggle("json", "as JSON")],
  },
  { name: "acp", help: "serve editors that speak the Agent Client Protocol" },
];

/** All commands. */
export const COMMANDS: readonly Command[] = TABLE.map((row) => ({ ...row, flags: inGroup("Output", row.flags ?? []) }));
