import { type Command, COMMANDS } from "./commands.ts";
import type { Flag } from "./flag.ts";
import { FLAGS } from "./flags.ts";

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

/** The help text, made from the table of options. */
export function helpText(command?: string): string {
  const known = COMMANDS.find((candidate) => candidate.name === command);
  return known ? commandHelp(known) : mainHelp();
}

function commandHelp(command: Command): string {
  const own = command.flags.length > 0 ? ["", "Options of this command:", ...lines(command.flags)] : [];
  return [
    `sandpiper ${command.name}: ${command.help}`,
    ...own,
    "",
    "The options of a run apply too: see sandpiper --help",
    "",
  ].join("\n");
}

function mainHelp(): string {
  const groups = [...new Set(FLAGS.map((flag) => flag.group))];
  return [
    "sandpiper: a coding agent whose tools run in a sandbox",
    "",
    "Usage:",
    "  sandpiper [options] [message ...] [@file ...]",
    "  sandpiper <command> [options]",
    "  echo TASK | sandpiper -p",
    "",
    "Commands:",
    ...COMMANDS.map((command) => `  ${command.name.padEnd(38)}${command.help}`),
    ...groups.flatMap((group) => ["", `${group}:`, ...lines(FLAGS.filter((flag) => flag.group === group))]),
    "",
    "Exit codes: 0 done, 1 model or provider failed, 2 usage or configuration, 3 sandbox or permission missing,",
    "            4 a limit was reached, 130 interrupted, 143 terminated",
    "",
  ].join("\n");
}
