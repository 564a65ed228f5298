import { dirname } from "@std/path";
import type { Policy } from "../core/policy.ts";
import type { RunProgram } from "../core/program.ts";
import { SESSION_VARIABLE } from "../sandbox/leftovers.ts";
import { openPrograms } from "../sandbox/programs.ts";
import type { Self } from "../sandbox/self.ts";
import { type OpenShell, openShell } from "../sandbox/shell.ts";
import { openSpares, type Spares } from "../sandbox/spare.ts";
import { recordSession, tidyUp } from "./session_record.ts";

/** What earlier sessions left is of no hurry. */
const TIDY_AFTER_MS = 500;

/** What starts processes for commands: the shell in the host, or listed programs for the one in the runner. */
export interface Processes {
  readonly shell: OpenShell | undefined;
  readonly runProgram: RunProgram | undefined;
  /** Starts the first spare, looks at what is protected, and later ends what killed sessions left. Once. */
  readonly warm: () => void;
  /** Whether a command goes on in the background. */
  readonly isBusy: () => boolean;
  /** Ends what waits for further commands; what runs goes on. */
  readonly rest: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Opens what starts processes; nothing is started before `warm` or the first command. */
export function openProcesses(
  kind: "shell" | "listed",
  policy: Policy,
  self: Self,
  cache: string | undefined,
): Processes {
  const spares: Spares | undefined = policy.sandbox === "off" ? undefined : openSpares(policy, self);
  const session = crypto.randomUUID();
  const marks = { [SESSION_VARIABLE]: session };
  const programs = kind === "listed" && spares ? openPrograms(policy, spares, marks) : undefined;
  const shell = programs ? undefined : openShell(policy, spares, marks);
  // Before anything can be left behind.
  const forget = recordSession(cache, session);
  const timers: ReturnType<typeof setTimeout>[] = [];
  return {
    shell,
    runProgram: programs?.run,
    warm: () => {
      if (timers.length > 0) return;
      spares?.warm();
      timers.push(setTimeout(() => (shell ?? programs)?.look(), 20));
      timers.push(setTimeout(() => tidyUp(cache, dirname(policy.tmp)), TIDY_AFTER_MS));
    },
    isBusy: () => shell?.background.list().some(({ exitCode }) => exitCode === undefined) ?? false,
    rest: async () => {
      for (const timer of timers) clearTimeout(timer);
      await spares?.close();
    },
    close: async () => {
      for (const timer of timers) clearTimeout(timer);
      await Promise.all([shell?.close(), programs?.close()]);
      forget();
    },
  };
}
