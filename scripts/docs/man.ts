import { COMMANDS } from "../../src/config/options/commands.ts";
import { EXIT_CODES } from "../../src/config/options/exit_codes.ts";
import type { Flag } from "../../src/config/options/flag.ts";
import { FLAGS } from "../../src/config/options/flags.ts";
import { VERSION } from "../../src/core/version.ts";

/** The manual page, in man(7)'s language, made from the tables of options and commands. */
export function manPage(): string {
  const groups = [...new Set(FLAGS.map((flag) => flag.group))];
  return [
    '.\\" Made from the option table by `deno task docs`; do not edit.',
    `.TH SANDPIPER 1 "" "sandpiper ${VERSION}" "User Commands"`,
    ".SH NAME",
    "sandpiper \\- a coding agent whose tools run in a sandbox",
    ".SH SYNOPSIS",
    ".B sandpiper",
    "[\\fIoption\\fR ...] [\\fImessage\\fR ...] [@\\fIfile\\fR ...]",
    ".br",
    ".B sandpiper",
    "\\fIcommand\\fR [\\fIoption\\fR ...]",
    ".SH DESCRIPTION",
    ...text("In a terminal it opens a screen, with -p or in a pipe it prints one answer."),
    ...text("What its tools may read, write, run and reach is enforced by the kernel."),
    ".SH COMMANDS",
    ...COMMANDS.flatMap(({ name, help, flags }) => [
      ".TP",
      `.B ${escaped(name)}`,
      ...text(`${sentence(help)}.`),
      ...(flags.length === 0 ? [] : [".RS", ...flags.flatMap(item), ".RE"]),
    ]),
    ".SH OPTIONS",
    ...groups.flatMap((group) => [
      `.SS ${escaped(group)}`,
      ...FLAGS.filter((flag) => flag.group === group).flatMap(item),
    ]),
    ".SH EXIT STATUS",
    ...EXIT_CODES.flatMap(([code, meaning]) => [".TP", `.B ${code}`, ...text(`${sentence(meaning)}.`)]),
    ".SH ENVIRONMENT",
    ...text("The key of a provider, for example ANTHROPIC_API_KEY or OPENAI_API_KEY; OPENAI_BASE_URL;"),
    ...text("SANDPIPER_HOME in place of ~/.sandpiper/agent."),
    ".SH FILES",
    ".TP",
    ".I ~/.sandpiper/agent/settings.json",
    "The user's settings.",
    ".TP",
    ".I .sandpiper/settings.json",
    "A project's, which count when you trust it.",
    "",
  ].filter((line, at, all) => line !== "" || at === all.length - 1).join("\n");
}

function item({ name, short, kind, value, help }: Flag): readonly string[] {
  const shown = kind === "boolean"
    ? ""
    : kind === "scope"
    ? `[=\\fI${escaped(value ?? "")}\\fR]`
    : ` \\fI${escaped(value ?? "")}\\fR`;
  const names = [...(short ? [`\\fB\\-${short}\\fR`] : []), `\\fB\\-\\-${escaped(name)}\\fR${shown}`];
  return [".TP", names.join(", "), ...text(`${sentence(help)}.`)];
}

function sentence(help: string): string {
  return help.charAt(0).toUpperCase() + help.slice(1).replace(/\.$/, "");
}

/** A line of text: one that begins with a sign of the language would be a request. */
function text(line: string): readonly string[] {
  return [escaped(line).replace(/^[.']/, "\\&$&")];
}

function escaped(words: string): string {
  return words.replaceAll("\\", "\\e").replaceAll("-", "\\-").replaceAll("…", "...");
}
