import type { Bash, BashOptions, CommandName, CustomCommand } from "just-bash";
import process from "node:process";
import { groupedRedirections } from "./redirections.ts";

/** The interpreter's module, of which values are taken only here: it is 3 MB and loads with the first call. */
export type Interpreter = typeof import("just-bash");

/** Its own commands that would need a database, a network or another interpreter. */
const LEFT_OUT = ["sqlite3"];

/** Most commands and turns of a loop in one script: a second or two of nothing but interpreting, in which nothing else is heard. */
const MOST_STEPS = 100_000;
const MEBIBYTE = 1024 * 1024;
/** Longest output of a script, bytes. */
export const OUTPUT_BYTES = 32 * MEBIBYTE;

/** Loads the interpreter, once. */
export async function loadInterpreter(): Promise<Interpreter> {
  // Its libraries ask for a variable of their own tests and for the user's number, which a confined thread may not tell.
  const isConfined = (name: "env" | "sys"): boolean => Deno.permissions.querySync({ name }).state !== "granted";
  if (isConfined("env")) Object.defineProperty(process, "env", { value: Object.create(null), configurable: true });
  for (const name of isConfined("sys") ? ["getuid", "getgid", "geteuid", "getegid"] : []) {
    Object.defineProperty(process, name, { value: () => 0, configurable: true });
  }
  return await import("just-bash");
}

/** The names of its own commands. */
export function ownCommands({ getCommandNames }: Interpreter): CommandName[] {
  // The list has no names but those of its type.
  return getCommandNames().filter((name) => !LEFT_OUT.includes(name)) as CommandName[];
}

/** An interpreter for one script: no network, no JavaScript, no Python, and bounds on all it does. */
export function makeInterpreter(
  module: Interpreter,
  options: Required<Pick<BashOptions, "fs" | "cwd" | "env">> & {
    readonly programs: readonly CustomCommand[];
    readonly timeoutMs: number;
  },
): Bash {
  const { fs, cwd, env, programs, timeoutMs } = options;
  const bash = new module.Bash({
    fs,
    cwd,
    env,
    commands: ownCommands(module),
    customCommands: [...programs],
    // It would replace globals of the thread that also serves the other tools. What holds is around the thread.
    defenseInDepth: false,
    executionLimits: {
      maxCommandCount: MOST_STEPS,
      maxLoopIterations: MOST_STEPS,
      maxExecutionTimeMs: timeoutMs,
      maxOutputSize: OUTPUT_BYTES,
      maxStringLength: 64 * MEBIBYTE,
      maxLiveBytes: 256 * MEBIBYTE,
      maxInputBytes: 256 * MEBIBYTE,
      maxArchiveBytes: 256 * MEBIBYTE,
      maxArchiveCompressedBytes: 128 * MEBIBYTE,
      maxArchiveEntryBytes: 128 * MEBIBYTE,
      maxTraversalEntries: 500_000,
    },
  });
  bash.registerTransformPlugin(groupedRedirections);
  return bash;
}
