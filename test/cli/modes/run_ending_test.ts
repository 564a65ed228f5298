import { assertEquals } from "@std/assert";
import type { PromptOutcome } from "../../../src/core/engine.ts";
import type { RunEnding } from "../../../src/core/event.ts";
import { collectFacts } from "../../../src/cli/report/facts.ts";
import { endOf, failedCheck } from "../../../src/cli/modes/run_ending.ts";
import type { ModeOutcome } from "../../../src/cli/modes/json.ts";
import { watchSignals } from "../../../src/cli/output/signals.ts";

/** A run that ended so, as the engine and the mode know it. */
const run = (ending: RunEnding, more: object = {}): PromptOutcome => ({ kind: "run", ending, ...more });
const handled: PromptOutcome = { kind: "handled" };

interface Case {
  readonly outcome?: PromptOutcome | undefined;
  readonly seen: ModeOutcome;
  readonly signal?: number;
  readonly failure?: string;
  readonly check?: string;
  /** Outcome, exit code, why and limit of the report. */
  readonly end: readonly [RunEnding, number, string?, string?];
  /** What, why and fix of the error; its exit code is that of the report. */
  readonly error?: readonly [what: string, why: string, fix: string];
}

const LOOK = "Look at what the model did: sandpiper sessions show latest, or --report FILE";
const GIVEN_UP = [
  "The run was given up",
  "nobody reads its events any more: standard output is closed",
  "Read the output to its end, or write it to a file",
] as const;

const CASES: Readonly<Record<string, Case>> = {
  "done": { outcome: run("done"), seen: { ending: "done" }, end: ["done", 0] },
  "done, and a signal came too late": { outcome: run("done"), seen: { ending: "done" }, signal: 130, end: ["done", 0] },
  "done, and --fail-on holds": {
    outcome: run("done"),
    seen: { ending: "done" },
    failure: "1 call was denied (--fail-on denied)",
    end: ["done", 5, "1 call was denied (--fail-on denied)"],
    error: [
      "The run is a failure",
      "1 call was denied (--fail-on denied)",
      "Look at what the model did: -v, --report FILE, sandpiper sessions show latest; or leave --fail-on out",
    ],
  },
  "done, and nobody read it": {
    outcome: run("done"),
    seen: { ending: "done", isUnread: true },
    end: ["done", 1, GIVEN_UP[1]],
    error: GIVEN_UP,
  },
  "a command of an extension": { outcome: handled, seen: { ending: "error" }, end: ["error", 0] },
  "a command of an extension that nobody read": {
    outcome: handled,
    seen: { ending: "error", isUnread: true },
    end: ["error", 1, GIVEN_UP[1]],
    error: GIVEN_UP,
  },
  "a signal": {
    outcome: run("aborted"),
    seen: { ending: "aborted" },
    signal: 143,
    end: ["aborted", 143, "it was interrupted"],
  },
  "a signal, whatever else went wrong, and --fail-on": {
    outcome: run("error", { errorMessage: "Cut off" }),
    seen: { ending: "error", isUnread: true },
    signal: 130,
    failure: "no file was changed (--fail-on no-change)",
    end: ["error", 130, "it was interrupted"],
  },
  "a limit": {
    outcome: run("limit"),
    seen: { ending: "limit", limit: "maxTurns" },
    end: ["limit", 4, "it reached the turn limit (--max-turns)", "maxTurns"],
  },
  "a limit that nobody read of": {
    outcome: run("limit"),
    seen: { ending: "limit", limit: "timeout", isUnread: true },
    end: ["limit", 4, "it reached the limit timeout", "timeout"],
  },
  "an extension's stop": {
    outcome: run("aborted"),
    seen: { ending: "aborted" },
    end: ["aborted", 1, "an extension ended it before the model was done"],
    error: [
      "The run was stopped",
      "an extension ended it before the model was done",
      "Run again with --no-extensions to see what it does without them",
    ],
  },
  "not proven, with the check's last words for the person alone": {
    outcome: run("unproven", { reason: "the check failed" }),
    seen: { ending: "unproven" },
    check: "    2 failed",
    end: ["unproven", 5, "the check failed"],
    error: ["The run is not proven", "the check failed. It said last:\n    2 failed", LOOK],
  },
  "not proven, and no reason": {
    outcome: run("unproven"),
    seen: { ending: "unproven" },
    end: ["unproven", 5, "what was demanded of it does not hold"],
    error: ["The run is not proven", "what was demanded of it does not hold", LOOK],
  },
  "a provider's failure: its last sentence is what to do": {
    outcome: run("error", { errorMessage: "It answered 401. The key is wrong. Set another one" }),
    seen: { ending: "error" },
    check: "    of a check that passed later",
    end: ["error", 1, "It answered 401. The key is wrong"],
    error: ["The model gave no answer", "It answered 401. The key is wrong", "Set another one"],
  },
  "a failure of which nothing is known": {
    seen: { ending: "error" },
    end: ["error", 1, "the run ended without an answer and without a reason"],
    error: [
      "The model gave no answer",
      "the run ended without an answer and without a reason",
      "Run again with --verbose to see what happened before it",
    ],
  },
};

for (const [name, { outcome, seen, signal, failure, check, end, error }] of Object.entries(CASES)) {
  Deno.test(`endOf() ${name}: exit code ${end[1]}`, () => {
    const watch = watchSignals();
    try {
      const got = endOf(outcome, seen, { ...watch, exitCode: () => signal }, failure, check);
      const { what = "", why = "", fix = "", exitCode } = got.error ?? {};
      const told = got.error && [what, why, fix, exitCode];
      const { end: { outcome: ended, exitCode: code, why: because, limit } } = got;
      assertEquals([ended, code, because, limit], [end[0], end[1], end[2], end[3]]);
      assertEquals(told, error && [...error, end[1]]);
    } finally {
      watch.stop();
    }
  });
}

Deno.test("failedCheck() gives the last ten lines of the first check that failed, and nothing where all passed", () => {
  const lines = Array.from({ length: 12 }, (_, at) => `line ${at}`);
  const facts = collectFacts().facts();
  const passed = { command: "a", passed: true, runs: 1 };
  const failed = { command: "b", passed: false, runs: 2, output: lines.join("\n") + "\n\n" };
  assertEquals(failedCheck({ ...facts, checks: [passed] }), undefined);
  assertEquals(
    failedCheck({ ...facts, checks: [passed, failed, { ...failed, output: "other" }] }),
    lines.slice(2).map((line) => `    ${line}`).join("\n"),
  );
});
