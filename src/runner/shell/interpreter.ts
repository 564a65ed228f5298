import type {
  Bash,
  BashOptions,
  CommandName,
  CommandNode,
  CustomCommand,
  ScriptNode,
  SimpleCommandNode,
  StatementNode,
} from "just-bash";
import process from "node:process";

/** The interpreter's module, of which values are taken only here: it is 3 MB and loads with the first call. */
export type Interpreter = typeof import("just-bash");

/** Its own commands that would need a database, a network or another interpreter. */
const LEFT_OUT = ["sqlite3"];

/** Most commands and turns of a loop in one script: a second or two of nothing but interpreting, in which nothing else is heard. */
const MOST_STEPS = 100_000;
const MEBIBYTE = 1024 * 1024;
/** Longest output of a script, bytes. */
const OUTPUT_BYTES = 32 * MEBIBYTE;

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

// The interpreter ends a whole script when the file of a redirection cannot be opened. Inside a group it only fails that
// command, as a shell should: so every command with such a redirection gets a group around it.

type Transform = Parameters<InstanceType<Interpreter["Bash"]>["registerTransformPlugin"]>[0];
type Redirection = SimpleCommandNode["redirections"][number];

const WRITING = [">", ">>", ">|", "&>", "&>>", "<>"];

/** A change of scripts before they run; nothing in them acts differently unless a redirection fails. */
const groupedRedirections: Transform = {
  name: "grouped-redirections",
  transform: ({ ast }) => ({ ast: grouped(ast) as ScriptNode }), // a copy of the same shape, but for the groups
};

function grouped(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(grouped);
  if (typeof node !== "object" || node === null) return node;
  const copy: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(node)) copy[name] = grouped(value);
  return isFragile(node) ? groupOf(copy as unknown as CommandNode) : copy; // the copy of a command is one
}

/** Whether a node is a command that opens a file for writing, other than the shell's own devices. */
function isFragile(node: object): boolean {
  if (!("redirections" in node) || !Array.isArray(node.redirections)) return false;
  if ("type" in node && node.type === "FunctionDef") return false;
  // The parser made it: what has redirections has nothing else in that list.
  return (node.redirections as Redirection[]).some(({ operator, target }) =>
    WRITING.includes(operator) && !(target.type === "Word" && isDevice(target.parts))
  );
}

function isDevice(parts: readonly { readonly type: string }[]): boolean {
  const [first] = parts;
  return parts.length === 1 && first !== undefined && "value" in first && typeof first.value === "string" &&
    first.value.startsWith("/dev/");
}

function groupOf(command: CommandNode): CommandNode {
  const statement: StatementNode = {
    type: "Statement",
    pipelines: [{ type: "Pipeline", commands: [command], negated: false }],
    operators: [],
    background: false,
  };
  return { type: "Group", body: [statement], redirections: [] };
}
