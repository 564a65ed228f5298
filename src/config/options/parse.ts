import { parseArgs } from "@std/cli";
import { UserError } from "../../core/error.ts";
import { type Command, COMMANDS } from "./commands.ts";
import type { Flag } from "./flag.ts";
import { FLAGS } from "./flags.ts";
import { askedInWords, isWholeHelp, refuseMeantCommand } from "./first_words.ts";
import { nearest } from "../../core/support/nearest.ts";

/** A scope option: `all` for the bare form, else the listed entries. */
export type ScopeValue = "all" | readonly string[];

/** Option values by name; absent when not given. */
export interface Values {
  readonly [name: string]: boolean | string | number | readonly string[] | undefined;
}

/** What the command line says. */
export interface Invocation {
  readonly command?: string;
  readonly values: Values;
  /** Positional words in order, without the command. */
  readonly words: readonly string[];
}

const BARE = "\u0000all"; // cannot be typed: no argument of a process holds NUL

/** Reads the command line (without the program's name). Throws UserError for anything that is not in the tables. */
export function parseCommandLine(args: readonly string[]): Invocation {
  const begun = COMMANDS.find((candidate) => candidate.name === args[0]);
  const command = begun?.isAlone && args[1] !== undefined && !args[1].startsWith("-") ? undefined : begun;
  const flags: readonly Flag[] = command ? [...FLAGS, ...command.flags] : FLAGS;
  const rest = command ? args.slice(1) : args;
  const end = rest.indexOf("--");
  const said = end < 0 ? rest : rest.slice(0, end);
  const head = withDashes(said.map((arg, at) => bare(arg, said[at + 1], flags)), flags);
  const parsed = parseArgs(head, {
    boolean: flags.filter((flag) => flag.kind === "boolean").map((flag) => flag.name),
    string: ["_", ...flags.filter((flag) => flag.kind !== "boolean").map((flag) => flag.name)],
    collect: flags.filter((flag) => flag.kind !== "boolean").map((flag) => flag.name),
    alias: Object.fromEntries(flags.flatMap((flag) => flag.short ? [[flag.short, flag.name]] : [])),
    unknown: (arg, key) => {
      if (key !== undefined && arg.startsWith("-") && arg !== "-") throw unknownOption(arg, key, flags, command, head);
    },
  });
  const values: Record<string, Values[string]> = {};
  for (const flag of flags) {
    const raw = parsed[flag.name];
    if (flag.kind === "boolean" ? raw === true : Array.isArray(raw) && raw.length > 0) {
      values[flag.name] = flag.kind === "boolean" ? true : valueOf(flag, raw as string[]); // `collect` makes arrays of strings
    }
  }
  refuseContradiction(values, command?.name);
  const first = parsed._.map(String);
  const words = [...first, ...(end < 0 ? [] : rest.slice(end + 1))];
  if (!command) {
    const asked = end < 0 ? askedInWords(words) : undefined;
    // What stands before `--` is no part of a message.
    const isMessage = end >= 0 && first.length === 0;
    if (asked?.version) return { values: { ...values, version: true }, words: [] };
    if (asked) return { ...(asked.help ? { command: asked.help } : {}), values: { ...values, help: true }, words: [] };
    refuseMeantCommand(words, { hasOptions: args[0] !== words[0], isMessage, isCut: end >= 0 });
  }
  if (command === undefined && values["help"] === true && isWholeHelp(words)) {
    return { command: "all", values, words: [] };
  }
  return { ...(command ? { command: command.name } : {}), values, words };
}

/** Options that contradict each other are an error: one of them would have no effect, and nobody would be told. */
function refuseContradiction(values: Values, command: string | undefined): void {
  if (values["trial"] && command !== undefined && !["demo", "acp"].includes(command)) {
    throw usage(`--trial has no meaning for ${command}`, "it starts no session", "Leave --trial out");
  }
  if (values["patch"] !== undefined && !values["trial"]) {
    throw usage("--patch goes with --trial", "only a trial makes a patch", "Add --trial, or leave --patch out");
  }
  if (values["trial"] && values["no-session"] && values["patch"] === undefined) {
    throw usage(
      "There is no place for the patch of the trial",
      "a session that is not kept has no folder for it",
      "Name a file: --patch FILE",
    );
  }
  if (values["trial"] && values["read-only"]) {
    throw usage(
      "--trial and --read-only contradict each other",
      "nothing can change in a trial in which nothing may be written",
      "Leave one of them out",
    );
  }
  const given = ["allow-write", "allow-run"].find((name) => values["read-only"] && values[name] !== undefined);
  if (given === undefined) return;
  const what = given === "allow-write" ? "writing" : "running programs";
  throw usage(
    `--read-only and --${given} contradict each other`,
    `--read-only takes ${what} away whatever is allowed`,
    `Leave out --read-only to allow ${what}, or --${given} to allow none`,
  );
}

/** An option that may stand without a value, and does. */
function bare(arg: string, next: string | undefined, flags: readonly Flag[]): string {
  const flag = flags.find(({ name, short }) => arg === `--${name}` || arg === `-${short}`);
  const isBare = flag?.kind === "scope" || (flag?.isOptional && (next === undefined || /^-./.test(next)));
  return flag && isBare ? `--${flag.name}=${BARE}` : arg;
}

/** A lone `-` after an option that takes a value is its value (standard output), which the parser would take for a word. */
function withDashes(args: readonly string[], flags: readonly Flag[]): string[] {
  const takesValue = (arg: string): boolean =>
    flags.some(({ name, short, kind }) =>
      kind !== "boolean" && kind !== "scope" && (arg === `--${name}` || (short !== undefined && arg === `-${short}`))
    );
  const takesOptions = flags.filter((flag) => flag.takesOptions).map(({ name }) => `--${name}`);
  const merged: string[] = [];
  for (const arg of args) {
    const before = merged.at(-1);
    if (before !== undefined && takesOptions.includes(before)) merged[merged.length - 1] = `${before}=${arg}`;
    else if (arg === "-" && before !== undefined && takesValue(before)) merged[merged.length - 1] = `${before}=-`;
    else merged.push(arg);
  }
  return merged;
}

function valueOf(flag: Flag, given: readonly string[]): string | number | readonly string[] {
  const last = given[given.length - 1] ?? "";
  for (const text of given) {
    if (text === "") {
      throw usage(
        `--${flag.name} needs a value`,
        "nothing follows it",
        `Write --${flag.name} ${flag.value ?? "VALUE"}`,
      );
    }
  }
  switch (flag.kind) {
    case "repeat":
      return given;
    case "list":
      return splitList(given);
    case "scope":
      return given.includes(BARE) ? [BARE] : splitList(given);
    case "number": {
      const number = Number(last);
      if (!(number > 0) || !Number.isFinite(number)) {
        throw usage(
          `--${flag.name} ${last} is not usable`,
          "it must be a number above 0",
          `Write --${flag.name} ${flag.value}`,
        );
      }
      return number;
    }
    case "duration":
      return parseDuration(last, `--${flag.name}`);
    default:
      if (last === BARE) return "";
      if (flag.choices && !flag.choices.includes(last)) {
        const meant = nearest(last, flag.choices);
        throw usage(
          `--${flag.name} ${last} is not known`,
          `it takes ${flag.choices.join(", ")}`,
          meant ? `Did you mean --${flag.name} ${meant}?` : `Choose one of them`,
        );
      }
      return last;
  }
}

/** The entries of lists; two commas stand for one that belongs to an entry, as in Deno's lists. */
function splitList(given: readonly string[]): string[] {
  return given.flatMap((text) => text.match(/(?:[^,]|,,)+/g) ?? []).map((text) => text.replaceAll(",,", ",").trim())
    .filter((text) => text !== "");
}

/** The scope that an option names, or nothing when it was not given. */
export function scopeValue(values: Values, name: string): ScopeValue | undefined {
  const value = values[name];
  if (!Array.isArray(value)) return undefined;
  return value[0] === BARE ? "all" : value;
}

/** Milliseconds of `500ms`, `90s`, `10m`, `2h`, `30d`; a bare number counts seconds. */
function parseDuration(text: string, name: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text);
  const unit = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[match?.[2] ?? "s"] ?? 1000;
  const ms = match ? Number(match[1]) * unit : NaN;
  if (!(ms > 0)) {
    throw usage(
      `${name} ${text} is not a duration`,
      "it must be a number with ms, s, m, h or d",
      `For example ${name} 10m`,
    );
  }
  return ms;
}

function unknownOption(
  arg: string,
  key: string,
  flags: readonly Flag[],
  command: Command | undefined,
  args: readonly string[],
): UserError {
  const name = arg.replace(/^--?/, "").replace(/=.*$/s, "");
  const owner = command
    ? undefined
    : COMMANDS.find((one) =>
      args.includes(one.name) && one.flags.some((flag) => flag.name === key || flag.short === key)
    );
  if (owner) {
    const option = arg.replace(/=.*$/s, "");
    return usage(
      `${option} is an option of sandpiper ${owner.name}`,
      "the command comes first, then its options",
      `Write sandpiper ${owner.name} ${option} …`,
    );
  }
  const meant = nearest(name, flags.map((flag) => flag.name));
  const shown = arg.replace(/=.*$/s, "");
  const help = `sandpiper ${command ? command.name + " " : ""}--help`;
  return usage(
    `Unknown option ${shown}`,
    "it is not in the list of options",
    meant
      ? `Did you mean --${meant}? All options: ${help}`
      : `See ${help}; put -- before a message that begins with a dash`,
  );
}

function usage(what: string, why: string, fix: string): UserError {
  return new UserError({ what, why, fix });
}
