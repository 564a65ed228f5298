// The inside of sandbox-exec on macOS, where a process is confined before it starts: nothing is left but to run the command.
// Its own calls into libc are Linux's, so the command is a child and this process its shadow. It has not been run by the
// tests of this repository, which have no macOS.
import {
  CONFINED,
  type ConfineRequest,
  type ExecRequest,
  parseConfineRequest,
  parseExecRequest,
} from "../launcher/request.ts";
import { readFrame } from "./launch.ts";

/** Blocks in which the shell counts the size of files, bytes. */
const BLOCK = 512;
/** As of a process that could not become its program on Linux. */
const FAILED = 71;

/** Reads both frames and runs the command that the second one names; ends with its exit code. */
export async function execInSeatbelt(): Promise<never> {
  try {
    const read = (buffer: Uint8Array<ArrayBuffer>): number | null => Deno.stdin.readSync(buffer);
    const request = parseConfineRequest(readFrame(read));
    const exec = parseExecRequest(readFrame(read));
    if (exec.mergeOutput) Deno.stderr.writeSync(new TextEncoder().encode(CONFINED + "\n"));
    const child = new Deno.Command("/bin/sh", {
      args: shadowArguments(request, exec),
      env: { ...exec.env },
      clearEnv: true,
      cwd: exec.cwd,
      stdin: exec.stdin === "null" ? "null" : "inherit",
      stdout: "inherit",
      stderr: "inherit",
    }).spawn();
    Deno.exit((await child.status).code);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    Deno.stderr.writeSync(
      new TextEncoder().encode(JSON.stringify({ confine: "failed", step: "seatbelt", why }) + "\n"),
    );
    Deno.exit(FAILED);
  }
}

/** Arguments of a shell that limits itself, joins the outputs if it is to, and becomes the command; pure. */
export function shadowArguments({ limits }: ConfineRequest, { argv, mergeOutput }: ExecRequest): string[] {
  const bounds = `ulimit -c 0 && ulimit -n ${limits.openFiles} && ulimit -f ${Math.floor(limits.fileBytes / BLOCK)}`;
  return ["-c", `${bounds} && exec "$0" "$@"${mergeOutput ? " 2>&1" : ""}`, ...argv];
}
