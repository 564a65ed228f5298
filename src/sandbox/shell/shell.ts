import { type ByteReader, readBytes } from "../../core/support/byte_reader.ts";
import { stripControls } from "../../core/support/text.ts";
import { ToolError } from "../../core/error.ts";
import type { Policy } from "../../core/policy.ts";
import type { Shell, ShellOutcome } from "../../core/tool.ts";
import type { Exec } from "../confine/launch.ts";
import type { Met } from "../denial/claim.ts";
import { denialHints, endingOf } from "../denial/hint.ts";
import { silentHint } from "../denial/net_hint.ts";
import { type Capture, type Captured, openCapture } from "../output/output.ts";
import type { StartedProcess } from "../pool/confined.ts";
import type { ProcessPool } from "../pool/pool.ts";
import { startUnconfined } from "../pool/unconfined.ts";
import { disk } from "../system/disk.ts";
import { type Background, openBackground } from "./background.ts";
import { type CommandHost, drain, startCommand } from "./command.ts";
import { metBy } from "./met.ts";
import {
  globalGitConfig,
  globalGitNotes,
  openPrivateTmp,
  privateMemoryNotes,
  privateTmpNotes,
} from "./private_notes.ts";
import { type Ended, openSupervisor, type Supervisor } from "./supervisor.ts";

/** What a call that was aborted before it began is reported as: 128 + SIGINT. */
const NOT_STARTED = 130;

/** How a command ended, with what of the policy it met. */
export type DeniedOutcome = ShellOutcome & Met;

/** A shell that ends everything it started when it is closed. */
export type OpenShell = Shell & {
  readonly background: Omit<Background, "ended" | "settled">;
  /** Records the state of protected paths ahead of the first command, which then starts sooner. */
  look(): void;
  close(): Promise<void>;
};

/**
 * Opens the shell of a policy. `spares`, the pool of waiting processes, is needed wherever something confines; closing the
 * shell closes it, too.
 *
 * `marks`: variables that every command gets beside the policy's, by which its processes can be known. `warn`: called with each
 * line that the user has to know: what was not taken of a command's changes to a repository, and, while the shell is closed, what
 * commands in the background did that no result could tell.
 */
export function openShell(
  policy: Policy,
  spares: ProcessPool | undefined,
  marks: Readonly<Record<string, string>> = {},
  warn: (line: string) => void = () => {},
): OpenShell {
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
  const supervisor = openSupervisor(policy, spares?.layered);
  const privateTmp = openPrivateTmp(policy);
  const background = openBackground(host, supervisor);
  let isClosed = false;
  const run: Shell = (command, options) => {
    const attempt = async (): Promise<DeniedOutcome> =>
      options.signal.aborted || isClosed
        ? notStarted()
        : await runCommand(host, supervisor, privateTmp, command, options, warn);
    // Something that existed when the process was planned may be gone when its mounts are made: a new plan leaves it
    // out.
    const call = attempt().catch((error) => error instanceof NeverBegan ? attempt() : Promise.reject(error));
    running.add(call);
    const forget = (): boolean => running.delete(call);
    call.then(forget, forget);
    return call;
  };
  return Object.assign(run, {
    background,
    look: supervisor.prepare,
    async close() {
      isClosed = true;
      const ending = supervisor.close();
      await Promise.allSettled([...running, background.ended(), spares?.close()]);
      await ending;
      for (const line of new Set([...background.settled(), ...supervisor.notes()])) {
        warn(`A command in the background: ${line}`);
      }
    },
  });
}

/** A command of which surely nothing has run. */
class NeverBegan extends ToolError {}

async function runCommand(
  host: CommandHost,
  supervisor: Supervisor,
  privateTmp: (() => ReadonlySet<string>) | undefined,
  command: string,
  { timeoutMs, signal, onOutput }: Parameters<Shell>[1],
  warn: (line: string) => void,
): Promise<DeniedOutcome> {
  const { policy } = host;
  const { limits } = policy;
  const before = privateTmp?.();
  const gitBefore = globalGitConfig(policy);
  let capture: Capture | undefined;
  let reader: ByteReader | undefined;
  try {
    supervisor.begin();
    const started = startCommand(host, command);
    // What the command's start does not need is made beside it.
    const own = capture = openCapture({
      maxBytes: limits.outputBytes,
      maxLines: limits.outputLines,
      folder: policy.tmp,
      onTail: onOutput,
    });
    reader = readBytes(started.stdout);
    const drained = drain(reader, (chunk) => own.write(chunk));
    const ended = await supervisor.follow(started, { drained, timeoutMs, signal }).ended;
    const { status } = ended;
    ended.settled.forEach(warn);
    const failure = status && await started.failure(status);
    if (failure !== undefined && !ended.reason) {
      const why = `The command did not run, it could not be confined: ${failure}`;
      throw started.neverBegan?.() ? new NeverBegan(why) : new ToolError(why);
    }
    const captured = own.finish();
    const ending = endingOf(command, status?.success === true);
    const hints = denialHints(captured.output, ending, policy, disk.realPath, command);
    const silent = hints.length > 0 ? undefined : silentHint(command, status?.code ?? 0, policy);
    const { notes, told = [], ...met } = metBy(started, supervisor.notes(), silent ? [silent] : hints);
    const said = [
      ...notes.filter((line) => !told.includes(line)),
      ...ended.settled,
      ...privateTmpNotes(policy, before, privateTmp?.(), command),
      ...privateMemoryNotes(policy, command),
      ...globalGitNotes(policy, gitBefore),
      ...told,
      // Names in them are a command's.
    ].map((line) => stripControls(line).replaceAll("\n", "?"));
    return { ...outcomeOf(captured, ended, said), ...(told.length > 0 ? { told: told.length } : {}), ...met };
  } finally {
    capture?.close();
    await reader?.cancel();
  }
}

function outcomeOf(
  captured: Captured,
  { exitCode, reason, left }: Ended,
  more: readonly string[],
): ShellOutcome {
  const survivors = left > 0 ? [`${left} of its processes could not be ended.`] : [];
  return {
    exitCode,
    ending: reason?.ending ?? "exited",
    ...(reason?.limit === undefined ? {} : { limit: reason.limit }),
    ...captured,
    notes: [...captured.notes, ...survivors, ...more],
  };
}

function notStarted(): ShellOutcome {
  return { exitCode: NOT_STARTED, ending: "aborted", output: "", totalLines: 0, totalBytes: 0, notes: [] };
}
