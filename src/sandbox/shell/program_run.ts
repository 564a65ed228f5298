import { messageOf, ToolError } from "../../core/error.ts";
import type { Policy } from "../../core/policy.ts";
import { PROGRAM_BYTES, type ProgramOutcome } from "../../core/runner.ts";
import { readBytes } from "../../core/support/byte_reader.ts";
import { formatSize } from "../../core/support/text.ts";
import type { Exec } from "../confine/launch.ts";
import type { Met } from "../denial/claim.ts";
import { denialHints } from "../denial/hint.ts";
import type { ConfinedProcess } from "../pool/confined.ts";
import type { ProcessPool } from "../pool/pool.ts";
import { disk } from "../system/disk.ts";
import { drain } from "./command.ts";
import { metBy } from "./met.ts";
import type { Supervisor } from "./supervisor.ts";

/** What a program is run with. */
export interface ProgramHost {
  readonly policy: Policy;
  readonly spares: ProcessPool;
  readonly supervisor: Supervisor;
  /** Hears what was not taken of its changes to a repository. */
  readonly warn: (line: string) => void;
}

/** How a program ended, with what of the policy it met, as of a command of the real shell; that stays in the host. */
export type DeniedProgramOutcome = ProgramOutcome & Met;

/**
 * Runs one program in a confined process to its end, with its two outputs apart; the same confinement, watchdog and end as
 * a command of the real shell has. What it started ends with it.
 */
export async function runProgram(
  command: Pick<Exec, "argv" | "env" | "cwd">,
  input: Uint8Array<ArrayBuffer>,
  { policy, spares, supervisor, warn }: ProgramHost,
  signal: AbortSignal,
): Promise<DeniedProgramOutcome> {
  if (signal.aborted) throw new ToolError("it was ended before it began");
  supervisor.begin();
  const started = start(command, input, spares);
  const outputs = [gather(started.stdout, () => full()), gather(started.stderr, () => full())] as const;
  // The script that wants it has a time limit of its own; this one is for a runner that forgets.
  const limits = { timeoutMs: policy.limits.bashMaxTimeoutMs, signal };
  const drained = Promise.all(outputs.map(({ done }) => done));
  const supervised = supervisor.follow(started, { drained, ...limits });
  const full = (): void => supervised.atOnce("limit", `its output went over ${formatSize(PROGRAM_BYTES)}`);
  try {
    const { status, exitCode, reason, settled } = await supervised.ended;
    settled.forEach(warn);
    const failure = status && await started.failure(status);
    if (failure !== undefined && !reason) throw new ToolError(`it could not be confined and did not run: ${failure}`);
    const [stdout, stderr] = [outputs[0].bytes(), outputs[1].bytes()];
    const text = new TextDecoder().decode(stderr.subarray(-65_536));
    const hints = denialHints(text, status?.success === true ? "well" : "failed", policy, disk.realPath);
    const { notes, told: _told, ...met } = metBy(started, supervisor.notes(), hints);
    const said = reason?.limit === undefined ? [] : [`${nameOf(command)} was ended: ${reason.limit}.`];
    return { ...met, exitCode, stdout, stderr, notes: [...notes, ...settled, ...said] };
  } finally {
    outputs.forEach(({ close }) => close());
  }
}

function start(
  { argv, env, cwd }: Pick<Exec, "argv" | "env" | "cwd">,
  input: Uint8Array<ArrayBuffer>,
  spares: ProcessPool,
): ConfinedProcess {
  try {
    const started = spares.take();
    const stdin = input.length === 0 ? "null" : "keep";
    started.become({ argv, env, cwd, stdin, mergeOutput: false }, input);
    return started;
  } catch (error) {
    throw new ToolError(`it did not run: ${messageOf(error)}`, { cause: error });
  }
}

/** Keeps what comes, up to the limit; `onFull` is told when there is more. */
function gather(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  onFull: () => void,
): { readonly done: Promise<true>; bytes(): Uint8Array<ArrayBuffer>; close(): void } {
  const reader = readBytes(stream);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  const done = drain(reader, (chunk) => {
    const fitting = chunk.subarray(0, PROGRAM_BYTES - length);
    chunks.push(fitting.slice());
    length += fitting.length;
    if (fitting.length < chunk.length) onFull();
  });
  return {
    done,
    bytes() {
      const all = new Uint8Array(length);
      let at = 0;
      for (const chunk of chunks) {
        all.set(chunk, at);
        at += chunk.length;
      }
      return all;
    },
    close: () => void reader.cancel(),
  };
}

function nameOf({ argv }: Pick<Exec, "argv">): string {
  return (argv[0] ?? "").split("/").at(-1) ?? "";
}
