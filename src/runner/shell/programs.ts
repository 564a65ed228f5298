import type { CustomCommand } from "just-bash";
import { basename } from "@std/path";
import { messageOf } from "../../core/error.ts";
import type { RunProgram } from "../../core/runner.ts";
import { textOf } from "./files.ts";
import type { Interpreter } from "./interpreter.ts";

/** The listed programs as commands of a script; each is started by the host, which decides again. */
export function programCommands(
  { defineCommand, latin1FromBytes, unsafeBytesFromLatin1, bytesOutput }: Interpreter,
  names: readonly string[],
  run: RunProgram,
  signal: AbortSignal,
  onNote: (note: string) => void,
): CustomCommand[] {
  return names.map((listed) =>
    defineCommand(basename(listed), async (args, context) => {
      const stdin = Uint8Array.from(latin1FromBytes(context.stdin), (unit) => unit.charCodeAt(0));
      const ending = context.signal ? AbortSignal.any([signal, context.signal]) : signal;
      try {
        const outcome = await run({ argv: [listed, ...args], cwd: context.cwd, stdin }, ending);
        outcome.notes.forEach(onNote);
        const { exitCode, stdout, stderr } = outcome;
        return { ...bytesOutput(unsafeBytesFromLatin1(textOf(stdout, "latin1"))), stderr: textOf(stderr), exitCode };
      } catch (error) {
        // 126: found, but not to be run.
        return { stdout: "", stderr: `${basename(listed)}: ${messageOf(error)}\n`, exitCode: 126 };
      }
    })
  );
}
