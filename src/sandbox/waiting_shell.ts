// A confined process that waits as a shell already, and not as this program, is a command's at once: what an execve takes
// away of this program (its memory, its threads) costs as much as all the rest of a short command.
import { covers, isInside, type Policy } from "../core/policy.ts";
import type { Exec } from "./launch.ts";
import { CONFINED } from "./order.ts";
import { shellProgram } from "./shell_program.ts";

/** What a spare for commands waits as. */
export interface WaitingShell {
  /** The second frame: a shell that keeps standard input and reads its command there. */
  readonly exec: Exec;
  /** What is written then; undefined for what is no command of this shell: that cannot be told to it. */
  readonly command: (exec: Exec) => Uint8Array<ArrayBuffer> | undefined;
}

const SIZE = "__sandpiper_size";
const COMMAND = "__sandpiper_command";

/**
 * Reads a length and so many bytes, says what `confineAndExec` would say, and becomes the shell of the command. Where
 * input ends before that, nothing runs. Standard error is the report's until then.
 */
const SCRIPT =
  `IFS= read -r ${SIZE} && LC_ALL=C IFS= read -rN "$${SIZE}" ${COMMAND} && printf '%s\\n' '${CONFINED}' >&2 && ` +
  `exec "$0" -c "$${COMMAND}" </dev/null 2>&1; exit 1`;

/** Variables that make bash do something, or be otherwise, before it has read a command. */
const MEANINGFUL =
  /^(?:BASH.*|ENV|SHELLOPTS|POSIXLY_CORRECT|IFS|PS4|OLDPWD|SSH2?_CLIENT|LD_.*|LOCPATH|GCONV_PATH|NLSPATH|__sandpiper_.*)$/;
const NAME = /^[A-Za-z_]\w*$/;

/** The one shell that waits, and what it is made of. */
const SHELL = "/bin/bash";
const MADE_OF = ["/bin", "/usr", "/lib", "/lib64", "/etc"];

/**
 * The shell that waits for the commands of a policy with these variables; undefined where the waiting could be seen in what
 * a command does, and where a command could change the shell: then it would run what was put there between two calls, when
 * nobody looks. Its process waits as this program then.
 */
export function waitingShell(
  policy: Pick<Policy, "env" | "root" | "sandbox" | "write">,
  marks: Readonly<Record<string, string>>,
): WaitingShell | undefined {
  if (policy.sandbox !== "kernel" && policy.sandbox !== "kernel+") return undefined;
  const env = { ...policy.env, ...marks };
  const isPlain = Object.keys(env).every((name) => NAME.test(name) && !MEANINGFUL.test(name));
  const isFixed = !MADE_OF.some((part) =>
    covers(policy.write, part) || policy.write.list.some((path) => isInside(path, part))
  );
  if (shellProgram(policy.env) !== SHELL || !isPlain || !isFixed) return undefined;
  return {
    exec: { argv: [SHELL, "--norc", "-c", SCRIPT, SHELL], env, cwd: policy.root, stdin: "keep", mergeOutput: false },
    command: ({ argv, env: wanted, cwd, stdin, mergeOutput }) => {
      const [program, flag, command, ...more] = argv;
      const isOurs = program === SHELL && flag === "-c" && command !== undefined && more.length === 0 &&
        cwd === policy.root && stdin === "null" && mergeOutput && isSame(wanted, env);
      if (!isOurs) return undefined;
      const bytes = new TextEncoder().encode(command);
      const size = new TextEncoder().encode(`${bytes.length}\n`);
      const whole = new Uint8Array(size.length + bytes.length);
      whole.set(size);
      whole.set(bytes, size.length);
      return whole;
    },
  };
}

function isSame(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}
