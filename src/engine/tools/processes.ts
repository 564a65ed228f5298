import type { Policy } from "../../core/policy.ts";
import type { RunProgram } from "../../core/runner.ts";
import { attempt } from "../../core/support/attempt.ts";
import { SESSION_VARIABLE } from "../../sandbox/process/leftovers.ts";
import { openPrograms } from "../../sandbox/shell/programs.ts";
import type { Self } from "../../sandbox/confine/self.ts";
import { type OpenShell, openShell } from "../../sandbox/shell/shell.ts";
import { openProcessPool, type ProcessPool } from "../../sandbox/pool/pool.ts";
import { openWarden } from "../../sandbox/process/warden.ts";
import { recordSession } from "../sessions/session_record.ts";

/** What starts processes for commands: the shell in the host, or listed programs for the one in the runner. */
export interface Processes {
  readonly shell: OpenShell | undefined;
  readonly runProgram: RunProgram | undefined;
  /** A command is expected: starts a process for it and records the state of protected paths. */
  readonly expect: () => void;
  /** Whether a command goes on in the background. */
  readonly isBusy: () => boolean;
  /** Ends the processes that wait for further commands; commands that run go on. */
  readonly rest: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Opens what starts processes; nothing is started before `expect` or the first command. */
export function openProcesses(
  kind: "shell" | "listed",
  policy: Policy,
  self: Self,
  cache: string | undefined,
  warn?: (line: string) => void,
): Processes {
  const session = crypto.randomUUID();
  const marks = { [SESSION_VARIABLE]: session };
  const spares: ProcessPool | undefined = policy.sandbox === "off" ? undefined : openProcessPool(policy, self);
  const programs = kind === "listed" && spares ? openPrograms(policy, spares, marks, warn) : undefined;
  const shell = programs ? undefined : openShell(policy, spares, marks, warn);
  // Recorded before anything can be left behind by a crash.
  const forget = recordSession(cache, session);
  // At kernel+ every process ends with the first process of its namespace; at kernel the warden ends what is left.
  const warden = policy.sandbox === "kernel" ? openWarden(session) : undefined;
  let looking: ReturnType<typeof setTimeout> | undefined;
  return {
    shell,
    runProgram: programs?.run,
    expect: () => {
      spares?.expect();
      looking ??= setTimeout(() => {
        attempt(() => (shell ?? programs)?.look()); // The command itself looks again, and reports.
      }, 0);
    },
    isBusy: () => shell?.background.list().some(({ exitCode }) => exitCode === undefined) ?? false,
    rest: async () => {
      clearTimeout(looking);
      await spares?.close();
    },
    close: async () => {
      clearTimeout(looking);
      await Promise.all([shell?.close(), programs?.close()]);
      await warden?.close();
      forget();
    },
  };
}
