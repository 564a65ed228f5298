// A recording lies in a project, and whoever changes the project can write one: what its options say may narrow what the
// played calls can touch. What gives them more is the person's alone to say.
import { resolve } from "@std/path";
import { parseCommandLine, scopeValue, type Values } from "../../config/options/parse.ts";
import { messageOf, UserError } from "../../core/error.ts";
import { attempt } from "../../core/support/attempt.ts";
import { isInside } from "../../core/policy.ts";
import { realOf } from "../../sandbox/policy/path_entry.ts";
import { isRunOption, optionsOf } from "../batch/task_options.ts";

/** Options whose value is a text, or a file after `@`. */
const TEXT_OR_FILE = ["system-prompt", "append-system-prompt"];
/** Options that name folders and files, which the program itself reads or opens to tools. */
const PATHS = ["allow-read", "allow-write", "skill", "template", "output-schema", ...TEXT_OR_FILE];
/** Options that give more than every run has. */
const GIVING = ["allow-run", "allow-net", "allow-env", "extension", "trust"];

/**
 * The options of a recorded run that it is played with, and whether it only read. `given`: those of the command line of the
 * check, which stand behind them, and in the place of those that give. Throws UserError for what is no option of a run, and for one that gives
 * more than every run has, unless the command line has one of that name.
 */
export function recordedOptions(
  file: string,
  options: readonly unknown[],
  given: Values,
  root: string,
): { readonly args: readonly string[]; readonly isReadOnly: boolean } {
  const recorded = valuesOf(file, options);
  const giving = Object.keys(recorded).filter((name) => givesMore(name, recorded, root));
  const more = giving.filter((name) => given[name] === undefined);
  if (more.length > 0) {
    const named = optionsOf(Object.fromEntries(more.map((name) => [name, recorded[name]]))).join(" ");
    throw new UserError({
      what: `Cannot check ${file}`,
      why: `it was recorded with ${named}, and a file cannot give that`,
      fix: `If you want to give it: sandpiper check ${named} FILE`,
      exitCode: 3,
    });
  }
  const values = Object.fromEntries(Object.entries(recorded).filter(([name]) => !giving.includes(name)));
  const isReadOnly = values["read-only"] === true || given["read-only"] === true;
  return { args: [...optionsOf(values), ...optionsOf(given)], isReadOnly };
}

/** Read as a command line and no other way: a text that only looks like an option is none. */
function valuesOf(file: string, options: readonly unknown[]): Values {
  const cannot = (why: string): UserError =>
    new UserError({ what: `Cannot check ${file}`, why, fix: "Record it again: sandpiper -p --record FILE TASK" });
  const texts = options.map((option) => {
    if (typeof option === "string" && option.startsWith("--") && option !== "--") return option;
    throw cannot(`${JSON.stringify(option)} is no option`);
  });
  try {
    const { values } = parseCommandLine(texts);
    const other = Object.keys(values).find((name) => !isRunOption(name));
    if (other !== undefined) throw cannot(`--${other} is no option that a recorded run has`);
    return values;
  } catch (error) {
    throw error instanceof UserError ? error : cannot(messageOf(error));
  }
}

function givesMore(name: string, values: Values, root: string): boolean {
  if (name === "sandbox") return values[name] !== "kernel";
  if (GIVING.includes(name)) return true;
  if (!PATHS.includes(name)) return false;
  const value = values[name];
  const entries = scopeValue(values, name) ?? (typeof value === "string" ? [value] : []);
  return entries === "all" ||
    entries.some((entry) =>
      TEXT_OR_FILE.includes(name) ? /^@[^@]/.test(entry) && leadsOut(entry.slice(1), root) : leadsOut(entry, root)
    );
}

function realPath(path: string): string | undefined {
  return attempt(() => Deno.realPathSync(path));
}

/** Whether a path may lead out of the workspace. */
function leadsOut(entry: string, root: string): boolean {
  const name = entry.replace(/^\+/, "");
  const path = resolve(root, name);
  return name.startsWith("~") || !isInside(realOf(path, realPath), realOf(root, realPath));
}
