import { isFile } from "../../core/support/on_disk.ts";
import { join } from "@std/path";
import { messageOf, ToolError } from "../../core/error.ts";
import type { ByteReader } from "../../core/support/byte_reader.ts";
import type { Policy } from "../../core/policy.ts";
import type { Exec } from "../confine/launch.ts";
import type { StartedProcess } from "../pool/confined.ts";

/** The kernel's limit for one argument (MAX_ARG_STRLEN), bytes, its NUL included. */
const MAX_COMMAND = 131_072;

/** What a command needs to be started. */
export interface CommandHost {
  readonly policy: Policy;
  readonly start: (exec: Exec) => StartedProcess;
  /** Variables beside the policy's. */
  readonly marks: Readonly<Record<string, string>>;
}

/** Starts the shell of a command; throws ToolError when that cannot be. */
export function startCommand({ policy, start, marks }: CommandHost, command: string): StartedProcess {
  if (command.includes("\0")) throw new ToolError("The command holds a NUL character. Send it without.");
  if (new TextEncoder().encode(command).length >= MAX_COMMAND) {
    throw new ToolError("The command is longer than 128 KiB. Write it to a file and run that file.");
  }
  try {
    const shell = shellProgram(policy.env);
    return start({
      argv: [shell, "-c", command],
      // Without SHELL bash looks up the user at each start, which connects to nscd: at kernel+ this process answers that call.
      env: { SHELL: shell, ...policy.env, ...marks },
      cwd: policy.root,
      stdin: "null",
      mergeOutput: true,
    });
  } catch (error) {
    throw new ToolError(`The command did not run: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * Reads until nobody can write any more, or until reading fails: what came so far is the output then. A chunk is `take`'s
 * until that returns.
 */
export async function drain(
  reader: ByteReader,
  take: (chunk: Uint8Array<ArrayBuffer>) => void,
): Promise<true> {
  for (;;) {
    const chunk = await reader.read().catch(() => undefined);
    if (chunk === undefined) return true;
    take(chunk);
  }
}

const PREFERRED = "/bin/bash";

/** The shell of commands: /bin/bash, else bash on the PATH that commands get, else sh. */
export function shellProgram(env: Readonly<Record<string, string>>): string {
  if (isFile(PREFERRED)) return PREFERRED;
  const folders = (env.PATH ?? "").split(":").filter((folder) => folder.startsWith("/"));
  return folders.map((folder) => join(folder, "bash")).find(isFile) ?? "/bin/sh";
}
