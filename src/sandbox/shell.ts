import { messageOf, ToolError } from "../core/error.ts";
import type { Policy } from "../core/policy.ts";
import type { Shell, ShellOutcome } from "../core/tool.ts";
import type { StartedProcess } from "./confined_process.ts";
import { killTree } from "./end_tree.ts";
import type { Exec } from "./launch.ts";
import { type Captured, openCapture } from "./output.ts";
import { openTree } from "./process_tree.ts";
import { shellProgram } from "./shell_program.ts";
import type { Spares } from "./spare.ts";
import { openStop, type StopReason } from "./stop.ts";
import { startUnconfined } from "./unconfined_process.ts";
import { watch } from "./watchdog.ts";

/** How long a child that holds the output may go on talking after its shell has ended. */
const AFTER_EXIT_MS = 150;
/** How long output may take to arrive after all who could write are gone. */
const AFTER_KILL_MS = 50;
/** The kernel's limit for one argument (MAX_ARG_STRLEN), bytes, its NUL included. */
const MAX_COMMAND = 131_072;
/** What a call that was aborted before it began is reported as: 128 + SIGINT. */
const NOT_STARTED = 130;
/** 128 + SIGKILL. */
const KILLED = 137;

/** A shell that ends everything it started when it is closed. */
export type OpenShell = Shell & { close(): Promise<void> };

/** Opens the shell of a policy. Spares are needed wherever something confines; closing ends the spare, too. */
export function openShell(policy: Policy, spares: Spares | undefined): OpenShell {
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();

  const start = (exec: Exec): StartedProcess => {
    if (policy.sandbox === "off") return startUnconfined(policy, exec);
    if (policy.sandbox === "permissions" || !spares) {
      throw new Error(`no command can be confined at sandbox level ${policy.sandbox}`);
    }
    const confined = spares.take();
    confined.become(exec);
    return confined;
  };

  const run: Shell = (command, options) => {
    const call = runCommand(policy, start, command, options, closing.signal);
    running.add(call);
    const forget = (): boolean => running.delete(call);
    call.then(forget, forget);
    return call;
  };
  return Object.assign(run, {
    async close() {
      closing.abort();
      await Promise.allSettled([...running, spares?.close()]);
    },
  });
}

async function runCommand(
  policy: Policy,
  start: (exec: Exec) => StartedProcess,
  command: string,
  options: Parameters<Shell>[1],
  closing: AbortSignal,
): Promise<ShellOutcome> {
  refuseImpossible(command);
  if (options.signal.aborted || closing.aborted) return notStarted();
  const started = startOrExplain(start, {
    argv: [shellProgram(policy.env), "-c", command],
    env: policy.env,
    cwd: policy.root,
    stdin: "null",
    mergeOutput: true,
  });
  const { limits } = policy;
  const tree = openTree(started.pid);
  const capture = openCapture({
    maxBytes: limits.outputBytes,
    maxLines: limits.outputLines,
    folder: policy.tmp,
    onTail: options.onOutput,
  });
  const reader = started.stdout.getReader();
  const drained = drain(reader, (chunk) => capture.write(chunk));

  const stop = openStop(tree, policy.sandbox === "kernel+");
  const onAbort = (): void => stop.gently("aborted");
  const onClose = (): void => stop.atOnce("aborted");
  const timer = setTimeout(() => stop.gently("timeout"), options.timeoutMs);
  const watchdog = watch(tree, limits, (sentence) => stop.atOnce("limit", sentence));
  options.signal.addEventListener("abort", onAbort);
  closing.addEventListener("abort", onClose);
  try {
    // A process that sits in the kernel outlives SIGKILL: the call does not wait for it.
    const status = await Promise.race([started.status, stop.done.then(() => within(started.status, AFTER_EXIT_MS))]);
    clearTimeout(timer);
    watchdog.close();
    options.signal.removeEventListener("abort", onAbort);
    if (stop.reason()) await stop.done;
    const complete = await within(drained, AFTER_EXIT_MS);
    const left = await killTree(tree);
    if (!complete) await within(drained, AFTER_KILL_MS);
    const failure = status && await started.failure(status);
    if (failure !== undefined && !stop.reason()) {
      throw new ToolError(`The command did not run, it could not be confined: ${failure}`);
    }
    return outcomeOf(capture.finish(), status, stop.reason(), left);
  } finally {
    clearTimeout(timer);
    watchdog.close();
    options.signal.removeEventListener("abort", onAbort);
    closing.removeEventListener("abort", onClose);
    capture.close();
    tree.close();
    await reader.cancel().catch(() => {});
  }
}

function outcomeOf(
  captured: Captured,
  status: Deno.CommandStatus | undefined,
  reason: StopReason | undefined,
  left: number,
): ShellOutcome {
  const survivors = left > 0 ? [`${left} of its processes could not be ended.`] : [];
  return {
    // Deno reports a death by signal as 128 + signal already.
    exitCode: status?.code ?? KILLED,
    ending: reason?.ending ?? "exited",
    ...(reason?.limit === undefined ? {} : { limit: reason.limit }),
    ...captured,
    notes: [...captured.notes, ...survivors],
  };
}

function notStarted(): ShellOutcome {
  return { exitCode: NOT_STARTED, ending: "aborted", output: "", totalLines: 0, totalBytes: 0, notes: [] };
}

/** Failures that the kernel would report in its own words, in words that help. */
function refuseImpossible(command: string): void {
  if (command.includes("\0")) throw new ToolError("The command holds a NUL character. Send it without.");
  if (new TextEncoder().encode(command).length >= MAX_COMMAND) {
    throw new ToolError("The command is longer than 128 KiB. Write it to a file and run that file.");
  }
}

function startOrExplain(start: (exec: Exec) => StartedProcess, exec: Exec): StartedProcess {
  try {
    return start(exec);
  } catch (error) {
    throw new ToolError(`The command did not run: ${messageOf(error)}`, { cause: error });
  }
}

/** Reads until nobody can write any more, or until reading fails: what came so far is the output then. */
async function drain(
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
  take: (chunk: Uint8Array<ArrayBuffer>) => void,
): Promise<true> {
  const ended = { done: true, value: undefined } as const;
  for (;;) {
    const { done, value } = await reader.read().catch(() => ended);
    if (done) return true;
    take(value);
  }
}

/** What a promise gives, or undefined when that takes longer. */
async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => timer = setTimeout(() => resolve(undefined), ms));
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
