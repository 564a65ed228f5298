// What a shell offers behind the words that are there: from the tables of options and commands, and from what is kept.
import { type Command, COMMANDS } from "../../config/options/commands.ts";
import type { Flag } from "../../config/options/flag.ts";
import { FLAGS } from "../../config/options/flags.ts";

/** A word that fits, and what it means: one line each. */
export interface Candidate {
  readonly value: string;
  readonly meaning?: string;
}

/** What a shell is told. */
export interface Completion {
  readonly candidates: readonly Candidate[];
  /** Files, or folders alone, fit as well; shells know them best. */
  readonly paths?: "files" | "folders";
}

/** Things that have names which are kept somewhere; servers are those of MCP, by the names that settings give them. */
type Named = "sessions" | "models" | "providers" | "skills" | "templates" | "agents" | "servers";

/** What the tables do not know. Each gives nothing where it cannot tell, and never throws. */
export interface Lookups extends Readonly<Record<Named, () => Promise<readonly Candidate[]>>> {
  /** Names in the folder of a path that is being written, with the path before them; folders end with `/`. */
  readonly files: (path: string) => readonly Candidate[];
}

const FILES: Completion = { candidates: [], paths: "files" };
const FOLDERS: Completion = { candidates: [], paths: "folders" };

/** What fits for the last of the words that stand behind the program's name. It may be empty, and begun. */
export async function complete(words: readonly string[], lookups: Lookups): Promise<Completion> {
  const last = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const completion = await anyCase(before, last, lookups);
  const begins = completion.candidates.filter(({ value }) => value.startsWith(last));
  return { ...completion, candidates: begins };
}

async function anyCase(before: readonly string[], last: string, lookups: Lookups): Promise<Completion> {
  const command = COMMANDS.find(({ name }) => name === before[0]);
  const flags: readonly Flag[] = command ? [...FLAGS, ...command.flags] : FLAGS;
  if (before.includes("--")) return FILES;
  const previous = before.at(-1);
  const open = flags.find((flag) => takesNext(flag) && isNamed(flag, previous));
  if (open && !(open.isOptional && last.startsWith("-"))) return await valuesOf(open, last, lookups);
  const [, name, start] = /^--([a-z-]+)=(.*)$/s.exec(last) ?? [];
  if (name !== undefined && start !== undefined) {
    const flag = flags.find((one) => one.name === name);
    if (!flag) return { candidates: [] };
    const { candidates, paths } = await valuesOf(flag, start, lookups);
    // Most shells do not look for files behind a sign of equality.
    const all = paths === undefined ? candidates : lookups.files(start);
    return { candidates: all.map((one) => ({ ...one, value: `--${name}=${one.value}` })) };
  }
  if (last.startsWith("-")) return { candidates: flags.flatMap(namesOf) };
  return await wordsOf(command, before, last, lookups, flags);
}

/** Whether the next word is its value. A scope's stands behind `=`. */
function takesNext({ kind }: Flag): boolean {
  return kind !== "boolean" && kind !== "scope";
}

function isNamed({ name, short }: Flag, word: string | undefined): boolean {
  return word === `--${name}` || (short !== undefined && word === `-${short}`);
}

function namesOf({ name, short, kind, help }: Flag): readonly Candidate[] {
  return [
    { value: `--${name}${kind === "scope" ? "=" : ""}`, meaning: help },
    ...(short === undefined ? [] : [{ value: `-${short}`, meaning: help }]),
  ];
}

async function valuesOf(flag: Flag, start: string, lookups: Lookups): Promise<Completion> {
  const { name, kind, choices, value = "" } = flag;
  if (choices) return { candidates: choices.map((choice) => ({ value: choice })) };
  if (name === "resume" || name === "fork") return { candidates: await lookups.sessions() };
  if (name === "model") return { candidates: await lookups.models() };
  if (name === "agent") return { candidates: await lookups.agents() };
  if (name === "provider") return { candidates: await lookups.providers() };
  if (value === "DIR") return FOLDERS;
  if (value === "TEXT|@FILE") {
    if (!start.startsWith("@")) return { candidates: [] };
    return { candidates: lookups.files(start.slice(1)).map((one) => ({ ...one, value: `@${one.value}` })) };
  }
  if (/FILE|PATH/.test(value)) {
    // An entry behind a comma, or with the sign that adds to what is there.
    const [, head = ""] = /^((?:.*,)?[+-]?)/.exec(start) ?? [];
    if (kind !== "scope" && kind !== "list" || head === "") return FILES;
    return { candidates: lookups.files(start.slice(head.length)).map((one) => ({ ...one, value: head + one.value })) };
  }
  return { candidates: [] };
}

async function wordsOf(
  command: Command | undefined,
  before: readonly string[],
  last: string,
  lookups: Lookups,
  flags: readonly Flag[],
): Promise<Completion> {
  const said = before.slice(command ? 1 : 0).filter((word, at, all) =>
    !word.startsWith("-") && !flags.some((flag) => takesNext(flag) && isNamed(flag, all[at - 1]))
  );
  if (!command) {
    if (said[0] === "help") return { candidates: said.length === 1 ? commandNames() : [] };
    if (last.startsWith("@")) {
      return { candidates: lookups.files(last.slice(1)).map((one) => ({ ...one, value: `@${one.value}` })) };
    }
    if (last.startsWith("/")) {
      const named = [...await lookups.skills(), ...await lookups.templates()];
      return last.includes(":") ? { candidates: named } : { candidates: named, paths: "files" };
    }
    return { candidates: before.length === 0 ? commandNames() : [], paths: "files" };
  }
  const { name, verbs = [] } = command;
  const [verb] = said;
  if (verbs.length > 0 && verb === undefined) return { candidates: verbs.map((value) => ({ value })) };
  if (name === "apply" && said.length === 0) return { candidates: await lookups.sessions(), paths: "files" };
  const takesSession = name === "audit" || name === "undo" ||
    (name === "sessions" && ["show", "tree", "export", "rename", "delete"].includes(verb ?? ""));
  if (takesSession && said.length === (name === "sessions" ? 1 : 0)) return { candidates: await lookups.sessions() };
  if (name === "mcp" && said.length === 1 && ["test", "remove", "login", "logout"].includes(verb ?? "")) {
    return { candidates: await lookups.servers() };
  }
  if (name === "skills" && verb === "validate") return FOLDERS;
  return name === "sessions" && verb !== "import" || name === "audit" || name === "undo" ? { candidates: [] } : FILES;
}

function commandNames(): readonly Candidate[] {
  return COMMANDS.map(({ name, help }) => ({ value: name, meaning: help }));
}
