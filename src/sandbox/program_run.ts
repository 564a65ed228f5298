import { messageOf, ToolError } from "../core/error.ts";
import type { Policy } from "../core/policy.ts";
import { PROGRAM_BYTES, type ProgramOutcome } from "../core/program.ts";
import { formatSize } from "../core/text.ts";
import { drain } from "./command_process.ts";
import type { ConfinedProcess } from "./confined_process.ts";
import { denialHints } from "./denial_hint.ts";
import type { Met } from "./denial_claim.ts";
import { disk } from "./disk.ts";
import { killTree } from "./end_tree.ts";
import type { Exec } from "./launch.ts";
import { openTree } from "./process_tree.ts";
import { metBy } from "./met.ts";
import type { ProtectedGuard } from "./protected_guard.ts";
import type { Spares } from "./spare.ts";
import { openStop } from "./stop.ts";
import { watch } from "./watchdog.ts";
import { within } from "./within.ts";

/** How long a child that holds the output may go on talking after its program has ended. */
const AFTER_EXIT_MS = 150;
/** 128 + SIGKILL. */
const KILLED = 137;

/** What a program is run with. */
export interface ProgramHost {
  readonly policy: Policy;
  readonly spares: Spares;
  readonly guard: ProtectedGuard;
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
  { policy, spares, guard }: ProgramHost,
  signal: AbortSignal,
): Promise<DeniedProgramOutcome> {
  if (signal.aborted) throw new ToolError("it was ended before it began");
  guard.begin();
  const started = start(command, input, spares);
  const tree = openTree(started.pid);
  guard.add(tree);
  const stop = openStop(tree, policy.sandbox === "kernel+");
  const full = (): void => stop.atOnce("limit", `its output went over ${formatSize(PROGRAM_BYTES)}`);
  const outputs = [gather(started.stdout, full), gather(started.stderr, full)] as const;
  const drained = Promise.all(outputs.map(({ done }) => done));
  const watchdog = watch(tree, policy.limits, (sentence) => stop.atOnce("limit", sentence));
  const onAbort = (): void => stop.gently("aborted");
  // The script that wants it has a time limit of its own; this one is for a runner that forgets.
  const timer = setTimeout(() => stop.gently("timeout"), policy.limits.bashMaxTimeoutMs);
  signal.addEventListener("abort", onAbort);
  let left: number | undefined;
  try {
    const status = await Promise.race([started.status, stop.done.then(() => within(AFTER_EXIT_MS, started.status))]);
    clearTimeout(timer);
    if (stop.reason()) await stop.done;
    await within(AFTER_EXIT_MS, drained);
    left = await killTree(tree);
    watchdog.close();
    guard.end(tree, left);
    const settled = await started.settle?.(left === 0) ?? [];
    const failure = status && await started.failure(status);
    if (failure !== undefined && !stop.reason()) {
      throw new ToolError(`it could not be confined and did not run: ${failure}`);
    }
    const [stdout, stderr] = [outputs[0].bytes(), outputs[1].bytes()];
    const text = new TextDecoder().decode(stderr.subarray(-65_536));
    const hints = denialHints(text, status?.success === true ? "well" : "failed", policy, disk.realPath);
    const { notes, ...met } = metBy(started, guard.notes(), hints);
    const limit = stop.reason()?.limit;
    return {
      ...met,
      exitCode: status?.code ?? KILLED,
      stdout,
      stderr,
      notes: [
        ...notes,
        ...settled,
        ...(limit === undefined ? [] : [`${nameOf(command)} was ended: ${limit}.`]),
      ],
    };
  } finally {
    clearTimeout(timer);
    watchdog.close();
    signal.removeEventListener("abort", onAbort);
    if (left === undefined) {
      left = await killTree(tree);
      guard.end(tree, left);
      await started.settle?.(left === 0);
    }
    tree.close();
    outputs.forEach(({ close }) => close());
  }
}

function start(
  { argv, env, cwd }: Pick<Exec, "argv" | "env" | "cwd">,
  input: Uint8Array<ArrayBuffer>,
  spares: Spares,
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
  const reader = stream.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  const done = drain(reader, (chunk) => {
    const fitting = chunk.subarray(0, PROGRAM_BYTES - length);
    chunks.push(fitting);
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
    close: () => void reader.cancel().catch(() => {}),
  };
}

function nameOf({ argv }: Pick<Exec, "argv">): string {
  return (argv[0] ?? "").split("/").at(-1) ?? "";
}
