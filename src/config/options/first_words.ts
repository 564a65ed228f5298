import { UserError } from "../../core/error.ts";
import { COMMANDS } from "./commands.ts";
import { nearest } from "../../core/support/nearest.ts";

/** Words that are commands of many programs, and what stands for them here. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  upgrade: "sandpiper update says how it was installed and what brings a newer version; it changes nothing itself",
  login:
    "A provider wants its key and no login: export ANTHROPIC_API_KEY=…, for example; sandpiper models says what was found. For an MCP server: sandpiper mcp login NAME",
  config: "Settings stand in a file: sandpiper --help says where, docs/settings.md which there are",
  init:
    "Nothing has to be made first: start sandpiper in the project's folder. What it should know stands in AGENTS.md there, if you write one",
  setup: "Nothing has to be set up: sandpiper doctor says what this machine can do and what is missing",
};

/** What may come before the words. */
export interface Before {
  /** Whether options stand before the first word. */
  readonly hasOptions: boolean;
  /** Words that are a message whatever they are: all of them come after `--`. */
  readonly isMessage: boolean;
  /** Whether `--` stands among or before the words, as it does before a command of `tool`. */
  readonly isCut: boolean;
}

/**
 * A request for help or for the version in words; undefined for anything else. Throws UserError for help on a command that
 * there is not.
 */
export function askedInWords(
  words: readonly string[],
): { readonly help?: string; readonly version?: true } | undefined {
  const [first, second] = words;
  if (words.length === 1 && first === "version") return { version: true };
  if (first !== "help" || words.length > 2) return undefined;
  if (second === undefined || second === "help") return { help: "" };
  if (isWholeHelp([second])) return { help: "all" };
  if (COMMANDS.some(({ name }) => name === second)) return { help: second };
  const near = nearest(second, [...COMMANDS.map(({ name }) => name), "options"]);
  const why = "the words would be sent to the model";
  const fix = near === undefined ? "sandpiper help lists the commands" : `Did you mean sandpiper help ${near}?`;
  throw meant(`There is no command "${second}"`, why, fix, words);
}

/**
 * Refuses words that were meant as a command and would be sent to a model: a command after options, a misspelt one, one
 * of other programs. Longer messages may begin with any word. Throws UserError that names the nearest command.
 */
export function refuseMeantCommand(words: readonly string[], { hasOptions, isMessage, isCut }: Before): void {
  const [first = "", second] = words;
  if (isMessage || first === "") return;
  const elsewhere = words.length === 1 && Object.hasOwn(ELSEWHERE, first) ? ELSEWHERE[first] : undefined;
  if (elsewhere !== undefined) {
    throw meant(`There is no command "${first}"`, "it would be sent to the model", elsewhere, words);
  }
  const known = COMMANDS.find(({ name }) => name === first);
  if (known && hasOptions && (isCut || words.length <= 2 || takes(known.name, second))) {
    const why = "options stand before it, so that it would be sent to the model as a message";
    const fix = `Write the command first, then its options: sandpiper ${first} …`;
    throw meant(`"${first}" is a command`, why, fix, words);
  }
  const near = known ? undefined : nearest(first, [...COMMANDS.map(({ name }) => name), "help", "version"]);
  if (near !== undefined && (words.length === 1 || takes(near, second))) {
    const fix = `Did you mean sandpiper ${near}?`;
    throw meant(`There is no command "${first}"`, "it would be sent to the model", fix, words);
  }
}

/** Whether the words behind `help` ask for everything. */
export function isWholeHelp(words: readonly string[]): boolean {
  return words.length === 1 && (words[0] === "all" || words[0] === "options");
}

/** Whether a word is one that a command knows as its first. */
function takes(command: string, word: string | undefined): boolean {
  return word !== undefined && (COMMANDS.find(({ name }) => name === command)?.verbs?.includes(word) ?? false);
}

function meant(what: string, why: string, fix: string, words: readonly string[]): UserError {
  return new UserError({
    what,
    why,
    fix: `${fix}. For a message: sandpiper -- ${words.join(" ")}`.replace(/(?<=[?…])\./, ""),
  });
}
