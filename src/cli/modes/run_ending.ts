// How a run ended: its outcome for programs, its exit code, and the error whose words a person reads.
import { limitText } from "../../core/support/limit_text.ts";
import type { PromptOutcome } from "../../core/engine.ts";
import { UserError } from "../../core/error.ts";
import type { SignalWatch } from "../output/signals.ts";
import type { RunFacts } from "../report/facts.ts";
import type { RunEnd } from "../report/report.ts";
import type { ModeOutcome } from "./json.ts";

/** How a run ended, and the error that says so where the exit code is neither 0 nor a signal's. */
export function endOf(
  outcome: PromptOutcome | undefined,
  seen: ModeOutcome,
  watch: SignalWatch,
  failure: string | undefined,
  check: string | undefined,
): { readonly end: RunEnd; readonly error?: UserError } {
  const limit = seen.limit === undefined ? {} : { limit: seen.limit };
  try {
    const code = exitCode(outcome, seen, watch);
    const isDone = code === 0;
    const signalled = watch.exitCode();
    if (isDone && failure !== undefined) {
      return {
        end: { outcome: "done", exitCode: 5, why: failure },
        error: new UserError({ what: "The run is a failure", why: failure, fix: FAILURE_FIX, exitCode: 5 }),
      };
    }
    const why = signalled === code ? "it was interrupted" : limit.limit && `it reached ${limitText(limit.limit)}`;
    return { end: { outcome: seen.ending, exitCode: code, ...limit, ...(why && !isDone ? { why } : {}) } };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const { what, why, fix, exitCode } = error;
    const told = check === undefined || seen.ending !== "unproven"
      ? error
      : new UserError({ what, why: `${why}. It said last:\n${check}`, fix, exitCode });
    return { end: { outcome: seen.ending, exitCode, why, ...limit }, error: told };
  }
}

/** Lines of a failed check that its error tells. */
const CHECK_LINES = 10;

/** The end of what the check said that did not pass. */
export function failedCheck({ checks }: RunFacts): string | undefined {
  const output = checks.find(({ passed }) => !passed)?.output?.trimEnd();
  return output?.split("\n").slice(-CHECK_LINES).map((line) => `    ${line}`).join("\n");
}

const FAILURE_FIX =
  "Look at what the model did: -v, --report FILE, sandpiper sessions show latest; or leave --fail-on out";

/** A command of an extension ran, or a hook took the text: no model was asked. */
export function isWithoutRun(outcome: PromptOutcome | undefined): boolean {
  return outcome !== undefined && outcome.kind !== "run";
}

/** The exit code of a run. Throws UserError where it is 1: no run fails without a word. */
function exitCode(outcome: PromptOutcome | undefined, seen: ModeOutcome, watch: SignalWatch): number {
  if (seen.ending === "done" && !seen.isUnread) return 0;
  const signalled = watch.exitCode();
  if (signalled !== undefined) return signalled;
  if (isWithoutRun(outcome) && !seen.isUnread) return 0;
  if (seen.ending === "limit") return 4;
  if (seen.isUnread) throw unread();
  if (seen.ending === "unproven") throw unproven(outcome?.kind === "run" ? outcome.reason : undefined);
  if (seen.ending === "aborted") throw stopped();
  const why = outcome?.kind === "run" ? outcome.errorMessage : undefined;
  throw failed(why ?? "the run ended without an answer and without a reason");
}

/** A provider's message says what failed, and after its last sentence what to do. */
function failed(message: string): UserError {
  const [why, fix] = splitFix(message);
  return new UserError({ what: "The model gave no answer", why, fix, exitCode: 1 });
}

/** The model said that it was done, and what was demanded does not hold. */
function unproven(reason = "what was demanded of it does not hold"): UserError {
  return new UserError({
    what: "The run is not proven",
    why: reason,
    fix: "Look at what the model did: sandpiper sessions show latest, or --report FILE",
    exitCode: 5,
  });
}

/** An extension took the task. */
export function unlooked(why: string): UserError {
  return new UserError({
    what: "The run is not proven",
    why,
    fix: "Give it a task for the model, or leave out what is demanded: an extension took this one",
    exitCode: 5,
  });
}

/** The run is done, and nothing of it is left. */
export function unkept(why: string): UserError {
  return new UserError({
    what: "There is no patch of the trial",
    why,
    fix: "Make room, or name a place that can be written with --patch FILE, and run it again",
    exitCode: 1,
  });
}

function stopped(): UserError {
  return new UserError({
    what: "The run was stopped",
    why: "an extension ended it before the model was done",
    fix: "Run again with --no-extensions to see what it does without them",
    exitCode: 1,
  });
}

function unread(): UserError {
  return new UserError({
    what: "The run was given up",
    why: "nobody reads its events any more: standard output is closed",
    fix: "Read the output to its end, or write it to a file",
    exitCode: 1,
  });
}

function splitFix(message: string): [string, string] {
  const at = message.lastIndexOf(". ");
  if (at < 0) return [message, "Run again with --verbose to see what happened before it"];
  return [message.slice(0, at), message.slice(at + 2)];
}
