import { THINKING_LEVELS } from "../../core/provider.ts";
import { PROVIDER_APIS } from "../../provider/table/entry.ts";
import { duration, type Flag, inGroup, list, number, repeat, scope, text, toggle } from "./flag.ts";

/** All options, in the order of the help text. */
export const FLAGS: readonly Flag[] = [
  ...inGroup("Run", [
    toggle("print", "text mode: only the final answer on stdout", { short: "p" }),
    text("mode", "MODE", "interactive, text, json (one event per line), or rpc (for programs)", {
      choices: ["interactive", "text", "json", "rpc"],
    }),
    text("cwd", "DIR", "working directory: the workspace root", { short: "C" }),
    toggle("trust", "load this project's own settings, SYSTEM.md and skills"),
    toggle("no-trust", "leave them out, whatever was answered before"),
    toggle("plan", "plan first: tools only read until the plan is accepted; with -p it is the answer"),
    toggle("no-plan", "end the planning of a session that is gone on with"),
  ]),
  ...inGroup("Session", [
    toggle("continue", "go on with the newest session of this workspace", { short: "c" }),
    text("resume", "[ID]", "go on with a session: an id, its beginning, a file, latest; alone: choose", {
      short: "r",
      isOptional: true,
    }),
    text("fork", "ID", "start from a copy of a session"),
    toggle("no-session", "keep nothing of this session"),
    text("session-dir", "DIR", "where sessions are kept"),
  ]),
  ...inGroup("Model", [
    text("model", "ID", "provider/id, an id alone, or replay:FILE; a,b: b stands in for a", {
      short: "m",
      setting: "model",
    }),
    text("base-url", "URL", "server to ask for the model (also OPENAI_BASE_URL)", { setting: "baseUrl" }),
    text("api", "API", "which API it speaks (default: the provider's)", { choices: PROVIDER_APIS, setting: "api" }),
    text("api-key-env", "NAME", "variable that holds the key (default: the provider's)", { setting: "apiKeyEnv" }),
    text("thinking", "LEVEL", `reasoning effort: ${THINKING_LEVELS.join(", ")}`, {
      choices: THINKING_LEVELS,
      setting: "thinking",
    }),
    text("record", "FILE", "write the model's replies as a cassette for --model replay:FILE"),
  ]),
  ...inGroup("Prompt", [
    text("system-prompt", "TEXT|@FILE", "replaces the built-in base prompt, before any SYSTEM.md"),
    repeat("append-system-prompt", "TEXT|@FILE", "added after the base prompt; may repeat"),
    text("agent", "NAME", "run as this agent, within its scopes; sandpiper agents lists them"),
    text("profile", "NAME", "how much prompt: full (default), minimal, none", {
      choices: ["full", "minimal", "none"],
      setting: "profile",
    }),
    toggle("no-context-files", "leave AGENTS.md and CLAUDE.md out"),
    repeat("extension", "PATH", "load an extension; may repeat", { short: "e" }),
    toggle("no-extensions", "leave extensions out"),
    repeat("flag", "NAME[=VALUE]", "a flag of an extension; may repeat"),
    toggle("no-templates", "leave templates out"),
    repeat("template", "PATH", "add a template file or a folder of them; may repeat"),
    toggle("no-skills", "leave skills out"),
    repeat("skill", "PATH", "add a skill folder; may repeat"),
  ]),
  ...inGroup("Tools and their scope", [
    list("tools", "LIST", "tools (default read,bash,edit,write; fetch with --allow-net; ls, …)", {
      short: "t",
      setting: "tools",
    }),
    toggle("no-tools", "no tools at all"),
    scope("allow-read", "PATH,…", "what tools may read (default: workspace; +PATH adds); bare: all but secrets"),
    scope("allow-write", "PATH,…", "what tools may write (default: workspace; +PATH adds); bare: all but secrets"),
    scope("allow-run", "PROGRAM,…", "programs that bash may start (default: all where the kernel confines them)"),
    scope("allow-net", "HOST,…", "network of the tools (default: none; +HOST adds); bare: everything"),
    scope("allow-env", "NAME,…", "environment variables that tools may see besides the usual ones"),
    list("deny-read", "PATH,…", "never readable, whatever is allowed"),
    list("deny-write", "PATH,…", "never writable, whatever is allowed"),
    toggle("read-only", "tools may write nothing and start no program; bash is an interpreter then"),
    text("sandbox", "LEVEL", "what must confine the tools: auto (default), kernel, permissions, off", {
      choices: ["auto", "kernel", "permissions", "off"],
      setting: "sandbox",
    }),
  ]),
  ...inGroup("Limits", [
    number("max-turns", "N", "rounds with the model", { setting: "limits.maxTurns" }),
    duration("timeout", "DURATION", "time limit of the run, including reading the task: 90s, 10m, 2h", {
      setting: "limits.timeoutMs",
    }),
    duration(
      "stdin-wait",
      "DURATION",
      "with a message: wait for the first byte of standard input (default 10s)",
    ),
    number("max-tokens-total", "N", "tokens of all requests together", { setting: "limits.maxTokensTotal" }),
    number("max-cost", "USD", "cost of all requests together", { setting: "limits.maxCostUsd" }),
  ]),
  ...inGroup("Proof", [
    toggle("trial", "work on a private copy of the workspace; the result is a patch"),
    text("patch", "FILE", "with --trial: the patch goes here, not beside the session"),
    repeat("require", "COMMAND", "a command that has to pass before the run is done; may repeat", {
      setting: "checks",
    }),
    number("require-tries", "N", "how often its failure goes back to the model (default 3)"),
    list("fail-on", "LIST", "exit code 5 for any of: denied, tool-error, no-change, change, warning"),
    text("output-schema", "FILE", "JSON Schema that the final answer has to fit; -p prints exactly the JSON"),
    text("output", "FILE", "write the final answer to a file; - is stdout, as without it", { short: "o" }),
    repeat("report", "FILE", "what happened, to a file: .json or .md (job summary), - is stdout; may repeat"),
  ]),
  ...inGroup("Output", [
    toggle("verbose", "progress on stderr", { short: "v" }),
    toggle("quiet", "no warnings on stderr", { short: "q" }),
    toggle("plain", "terminal UI in lines only, for screen readers"),
    toggle("no-color", "no colours (also NO_COLOR)"),
    toggle("help", "this text", { short: "h" }),
    toggle("version", "the version"),
    toggle("fingerprint", "of a packed program: the digest of all in it"),
  ]),
];
