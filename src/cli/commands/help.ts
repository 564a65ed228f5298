import { inOwnName } from "../../core/version.ts";
import { join } from "@std/path";
import { readWorld } from "../../config/host_environment.ts";
import { type Command, COMMANDS } from "../../config/options/commands.ts";
import { EXIT_CODES } from "../../config/options/exit_codes.ts";
import type { Flag } from "../../config/options/flag.ts";
import { FLAGS } from "../../config/options/flags.ts";
import { findConfigFolders } from "../../context/files/config_folders.ts";
import { findBundled } from "../../engine/resources/bundled.ts";
import { cacheRoot, spareFolder } from "../../engine/sessions/session_folders.ts";

function left(flag: Flag): string {
  const value = flag.kind === "boolean" ? "" : flag.kind === "scope" ? `[=${flag.value}]` : ` ${flag.value}`;
  return `${flag.short ? `-${flag.short}, ` : "    "}--${flag.name}${value}`;
}

function lines(flags: readonly Flag[]): string[] {
  return flags.map((flag) => {
    const head = `  ${left(flag)}`;
    return head.length > 38 ? `${head}\n${" ".repeat(40)}${flag.help}` : `${head.padEnd(40)}${flag.help}`;
  });
}

/** Where things are on this machine; what is usual stands for what cannot be known. */
export interface HelpPlaces {
  /** The user's settings.json. */
  readonly settings?: string;
  /** Holds README.md and docs. */
  readonly docs?: string;
}

/** The help text, made from the tables: the usual, one command, or with `all` every option. */
export function helpText(
  command?: string,
  { settings = "~/.sandpiper/agent/settings.json", docs }: HelpPlaces = {},
): string {
  const come = "README.md and docs/, which come with the program";
  const places = { settings, docs: docs === undefined ? come : `${docs}/README.md and ${docs}/docs` };
  const known = COMMANDS.find((candidate) => candidate.name === command);
  return inOwnName(known ? commandHelp(known) : command === "all" ? wholeHelp(places) : shortHelp(places));
}

function commandHelp(command: Command): string {
  const own = command.flags.length > 0 ? ["", "Options of this command:", ...lines(command.flags)] : [];
  return [
    `sandpiper ${command.name}: ${command.help}`,
    ...own,
    "",
    "The options of a run apply too: see sandpiper help all",
    "",
  ].join("\n");
}

const OPENING = [
  "sandpiper: a coding agent whose tools run in a sandbox",
  "",
  "Usage:",
  "  sandpiper [options] [message ...] [@file ...]",
  "  sandpiper <command> [options]",
  "",
  "Examples:",
  '  sandpiper "make the tests pass"       in the terminal; it asks for more',
  '  git diff | sandpiper -p "review this" one answer on standard output',
  "  sandpiper --read-only -C DIR          a look at another folder, no changes",
  "",
];

/** What most people need of the options, in words that fit a terminal of 80 columns. */
const COMMON: readonly (readonly [options: string, meaning: string])[] = [
  ["-m, --model ID", "who answers: PROVIDER/ID; sandpiper models lists them"],
  ["--base-url URL", "another server with OpenAI's API, on this machine perhaps"],
  ["-p, --print", "only the final answer on standard output"],
  ["-c, --continue", "go on with the newest session here; -r ID with another"],
  ["-C, --cwd DIR", "the workspace, if it is not this folder"],
  ["--read-only", "tools may write nothing and start no program"],
  ["--allow-read=+PATH", "tools may also read this; --allow-write=+PATH/ write it"],
  ["--allow-net=HOST", "commands and fetch may reach this host; else none"],
  ["--timeout 10m", "a limit, as are --max-turns N and --max-cost USD"],
  ["-v, --verbose", "say on standard error what happens"],
];

/** The usual: one screen and a half of a small terminal. */
function shortHelp({ settings, docs }: Required<HelpPlaces>): string {
  return [
    ...OPENING,
    "Commands (more of each: sandpiper help COMMAND):",
    ...COMMANDS.map((command) => `  ${command.name.padEnd(13)}${command.help}`),
    "",
    "Options (all of them: sandpiper help all):",
    ...COMMON.map(([options, meaning]) => `  ${options.padEnd(20)}${meaning}`),
    "",
    `Settings:       ${settings}`,
    `Documentation:  ${docs}`,
    "",
  ].join("\n");
}

/** Everything. */
function wholeHelp({ settings, docs }: Required<HelpPlaces>): string {
  const groups = [...new Set(FLAGS.map((flag) => flag.group))];
  return [
    ...OPENING,
    "Commands:",
    ...COMMANDS.map((command) => `  ${command.name.padEnd(38)}${command.help}`),
    ...groups.flatMap((group) => ["", `${group}:`, ...lines(FLAGS.filter((flag) => flag.group === group))]),
    "",
    "Configuration:",
    `  ${settings}`,
    "  .sandpiper/settings.json in a project counts when you trust it; environment: the provider's key",
    "  (ANTHROPIC_API_KEY, OPENAI_API_KEY, …), OPENAI_BASE_URL, SANDPIPER_HOME (in place of ~/.sandpiper/agent).",
    "  sandpiper doctor says what is missing",
    "",
    "Documentation:",
    `  ${docs}`,
    "",
    "Exit codes:",
    ...EXIT_CODES.map(([code, meaning]) => `  ${code.padEnd(38)}${meaning}`),
    "",
  ].join("\n");
}

/** Where a person finds settings and documentation on this machine. Never throws: help is for when something is wrong. */
export function helpPlaces(): HelpPlaces {
  try {
    const { env, cwd } = readWorld();
    const { user, newUser } = findConfigFolders(cwd, env);
    const folder = user ?? newUser;
    const bundled = findBundled(cacheRoot(env), () => spareFolder(env));
    return {
      ...(folder === undefined ? {} : { settings: join(folder, "settings.json") }),
      ...("folder" in bundled ? { docs: bundled.folder } : {}),
    };
  } catch {
    return {};
  }
}
