import type { RoundBill } from "../../core/engine.ts";
import type { ChangeSet, TrialResult } from "../../core/changes.ts";
import type { Denial, RunEnding, RunTotals } from "../../core/event.ts";

/** A command of the bash tool. */
export interface CommandFact {
  /** As the model wrote it. */
  readonly command: string;
  /** Absent where it was ended before it had one, or went on in the background when the run ended. */
  readonly exitCode?: number;
  /** Its name in the background, where it went on there: `b1`. Such a command ends with the session at the latest. */
  readonly background?: string;
  /** Of the work. */
  readonly durationMs: number;
}

/** A call that failed or did not run. */
export interface FailureFact {
  /** Name of the tool. */
  readonly tool: string;
  /** Its path, command or pattern; absent if it has none. */
  readonly target?: string;
  /** The beginning of its result. */
  readonly why: string;
}

/** Something that was refused to calls of a tool. Each call that was denied is in one of them at least. */
export interface DenialFact {
  /** Name of the tool. */
  readonly tool: string;
  /** Scope that was missing; absent where what was refused is known by `why` alone. */
  readonly kind?: Denial["kind"];
  /** Absolute path, program or host; there with `kind`. */
  readonly target?: string;
  /** Why it was refused. */
  readonly why: string;
  /** The smallest option that would allow it; null where none is known. */
  readonly grant: string | null;
  /** How many calls it was refused to. */
  readonly calls: number;
}

/** A command that had to pass, and what came of its last run. */
export interface CheckFact {
  /** As it was demanded. */
  readonly command: string;
  /** Whether the last run of it did. */
  readonly passed: boolean;
  /** How often it ran. */
  readonly runs: number;
  /** Absent when the command was ended before it had one. */
  readonly exitCode?: number;
  /** The end of what it printed, where it did not pass. */
  readonly output?: string;
}

/**
 * What happened in a run: the file that `--report` writes, and the last line of json mode. Plain JSON; nothing in it is a
 * model's word but `answer`.
 */
export interface RunReport {
  /** Of this shape. */
  readonly type: "run_report";
  readonly version: 1;
  /** How the run ended; `error` also where it never began. */
  readonly outcome: RunEnding;
  /** Of the process. */
  readonly exitCode: number;
  /** One sentence; absent where all is well. */
  readonly why?: string;
  /** What was asked for; absent where the run never began. */
  readonly task?: string;
  /** The model's last words. */
  readonly answer: string;
  /** Version of the program. */
  readonly program: string;
  /** Absent where the session was never opened, as are the next four. */
  readonly sessionId?: string;
  /** Of its trace, where the user's telemetry is on. */
  readonly traceId?: string;
  readonly model?: { readonly provider: string; readonly id: string };
  readonly sandbox?: { readonly level: string; readonly weaknesses: readonly string[] };
  /** The workspace. */
  readonly cwd?: string;
  /** Of the last prompt that was sent. */
  readonly prompt?: { readonly stable: string; readonly dynamic: string; readonly full: string };
  /** Rounds, calls, tokens, cost, duration; absent when the run was ended before it could count. */
  readonly totals?: RunTotals;
  /** Each round's tokens, and where the cache was lost. */
  readonly rounds: readonly RoundBill[];
  /** Files that changed while the run went on; absent where nobody looked. */
  readonly changes?: Pick<ChangeSet, "files" | "linesAdded" | "linesRemoved" | "counted" | "leftOut">;
  /** Of a run with `--trial`: its patch, and what is in it. `changes` are those of the copy then. */
  readonly trial?: TrialResult;
  readonly commands: readonly CommandFact[];
  /** Calls of tools that failed or did not run, denied ones among them. */
  readonly failedCalls: number;
  /** Those of them that say why; of a command that ran see `commands`. */
  readonly failures: readonly FailureFact[];
  /** Calls that met a denial, whether a grant helps or not, and those that an extension blocked. */
  readonly deniedCalls: number;
  /** All that was refused, each thing once, in order of occurrence. */
  readonly denials: readonly DenialFact[];
  /** Hosts that commands were let through to by a list of hosts. */
  readonly hosts: readonly string[];
  readonly checks: readonly CheckFact[];
  /** Which limit ended the run. */
  readonly limit?: string;
  /** Warnings and errors that were told. */
  readonly warnings: readonly string[];
}
