import { ToolError } from "../core/error.ts";
import type { Policy } from "../core/policy.ts";
import type { Shell, ShellOutcome } from "../core/tool.ts";
import { type Background, openBackground } from "./background.ts";
import { type CommandHost, drain, startCommand } from "./command_process.ts";
import type { StartedProcess } from "./confined_process.ts";
import { killTree } from "./end_tree.ts";
import type { Met } from "./denial_claim.ts";
import { denialHints, endingOf } from "./denial_hint.ts";
import { metBy } from "./met.ts";
import { silentHint } from "./net_closed.ts";
import { disk } from "./disk.ts";
import type { Exec } from "./launch.ts";
import { type Captured, openCapture } from "./output.ts";
import { openTree } from "./process_tree.ts";
import { openProtectedGuard, type ProtectedGuard } from "./protected_guard.ts";
import { namesInPrivateTmp, privateMemoryNotes, privateTmpNotes } from "./private_notes.ts";
import type { Spares } from "./spare.ts";
import { openStop, type StopReason } from "./stop.ts";
import { openTripwire } from "./tripwire.ts";
import { startUnconfined } from "./unconfined_process.ts";
import { watch } from "./watchdog.ts";
import { within } from "./within.ts";

/** How long a child that holds the output may go on talking after its shell has ended. */
const AFTER_EXIT_MS = 150;
/** How long output may take to arrive after all who could write are gone. */
const AFTER_KILL_MS = 50;
/** What a call that was aborted before it began is reported as: 128 + SIGINT. */
const NOT_STARTED = 130;
/** 128 + SIGKILL. */
const KILLED = 137;

/** How a command ended, with what of the policy it met. */
export type DeniedOutcome = ShellOutcome & Met;

/** A shell that ends everything it started when it is closed. */
export type OpenShell = Shell & {
  readonly background: Omit<Background, "close">;
  /** Looks at what is protected ahead of the first command, which then has less to do. */
  look(): void;
  close(): Promise<void>;
};

/**
 * Opens the shell of a policy. Spares are needed wherever something confines; closing ends the spare, too.
 *
 * `marks`: variables that every command gets beside the policy's, by which its processes can be known.
 */
export function openShell(
  policy: Policy,
  spares: Spares | undefined,
  marks: Readonly<Record<string, string>> = {},
): OpenShell {
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

  const host: CommandHost = { policy, start, marks };
  const guard = openProtectedGuard(() => openTripwire(policy, spares?.layered()));
  const background = openBackground(host, guard);
  const run: Shell = (command, options) => {
    const attempt = (): Promise<DeniedOutcome> => runCommand(host, guard, command, options, closing.signal);
    // What was there when the process was planned may be gone when its mounts are made: a new plan leaves it out.
    const call = attempt().catch((error) => error instanceof NeverBegan ? attempt() : Promise.reject(error));
    running.add(call);
    const forget = (): boolean => running.delete(call);
    call.then(forget, forget);
    return call;
  };
  return Object.assign(run, {
    background,
    look: () => guard.begin(),
    async close() {
      closing.abort();
      await Promise.allSettled([...running, background.close(), spares?.close()]);
      guard.close();
    },
  });
}

/** A command of which surely nothing has run. */
class NeverBegan extends ToolError {}

async function runCommand(
  host: CommandHost,
  guard: ProtectedGuard,
  command: string,
  options: Parameters<Shell>[1],
  closing: AbortSignal,
): Promise<DeniedOutcome> {
  if (options.signal.aborted || closing.aborted) return notStarted();
  const { policy } = host;
  const { limits } = policy;
  guard.begin();
  const before = namesInPrivateTmp(policy);
  const started = startCommand(host, command);
  const tree = openTree(started.pid);
  guard.add(tree);
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
  let left: number | undefined;
  try {
    // A process that sits in the kernel outlives SIGKILL: the call does not wait for it.
    const status = await Promise.race([started.status, stop.done.then(() => within(AFTER_EXIT_MS, started.status))]);
    clearTimeout(timer);
    options.signal.removeEventListener("abort", onAbort);
    if (stop.reason()) await stop.done;
    const complete = await within(AFTER_EXIT_MS, drained);
    left = await killTree(tree);
    // A flood may outlive the shell that began it.
    watchdog.close();
    // Not before: what still ran could change it again.
    guard.end(tree, left);
    const settled = await started.settle?.(left === 0) ?? [];
    if (!complete) await within(AFTER_KILL_MS, drained);
    const failure = status && await started.failure(status);
    if (failure !== undefined && !stop.reason()) {
      const why = `The command did not run, it could not be confined: ${failure}`;
      throw started.neverBegan?.() ? new NeverBegan(why) : new ToolError(why);
    }
    const captured = capture.finish();
    const hints = denialHints(captured.output, endingOf(command, status?.success === true), policy, disk.realPath);
    const silent = hints.length > 0 ? undefined : silentHint(command, status?.code ?? 0, policy);
    const { notes, ...met } = metBy(started, guard.notes(), silent ? [silent] : hints);
    const said = [...notes, ...settled, ...privateTmpNotes(policy, before), ...privateMemoryNotes(policy, command)];
    return { ...outcomeOf(captured, status, stop.reason(), left, said), ...met };
  } finally {
    clearTimeout(timer);
    watchdog.close();
    options.signal.removeEventListener("abort", onAbort);
    closing.removeEventListener("abort", onClose);
    capture.close();
    if (left === undefined) {
      left = await killTree(tree);
      guard.end(tree, left);
      await started.settle?.(left === 0);
    }
    tree.close();
    await reader.cancel().catch(() => {});
  }
}

function outcomeOf(
  captured: Captured,
  status: Deno.CommandStatus | undefined,
  reason: StopReason | undefined,
  left: number,
  more: readonly string[],
): ShellOutcome {
  const survivors = left > 0 ? [`${left} of its processes could not be ended.`] : [];
  return {
    // Deno reports a death by signal as 128 + signal already.
    exitCode: status?.code ?? KILLED,
    ending: reason?.ending ?? "exited",
    ...(reason?.limit === undefined ? {} : { limit: reason.limit }),
    ...captured,
    notes: [...captured.notes, ...survivors, ...more],
  };
}

function notStarted(): ShellOutcome {
  return { exitCode: NOT_STARTED, ending: "aborted", output: "", totalLines: 0, totalBytes: 0, notes: [] };
}
