// The published shape of a report: a field that is missing here, or too many, is a type error.
import * as z from "zod/mini";
import type {
  ChangeSet,
  CountedFolder,
  FileChange,
  LeftOut,
  PatchedFile,
  TrialCost,
  TrialResult,
} from "../../../src/core/changes.ts";
import type { LostCache, RoundBill } from "../../../src/core/engine.ts";
import type { RunTotals } from "../../../src/core/event.ts";
import { exactly } from "./exact_shape.ts";
import type { CheckFact, CommandFact, DenialFact, FailureFact, RunReport } from "../../../src/cli/report/run_report.ts";

const text = z.string();
const texts = z.array(text);
const flag = z.boolean();
const whole = z.int();
const count = z.int().check(z.gte(0));
const positive = z.int().check(z.gte(1));
const amount = z.number().check(z.gte(0));

/** What a run used up. */
export const totals = exactly<RunTotals>({
  turns: count,
  toolCalls: count,
  input: count,
  output: count,
  cacheRead: count,
  cacheWrite: count,
  totalTokens: count,
  cost: z.optional(amount),
  durationMs: amount,
});

/** One file as it was before and after. */
export const fileChange = exactly<FileChange>({
  path: text,
  kind: z.enum(["created", "changed", "deleted", "moved", "mode"]),
  thing: z.enum(["file", "link", "folder", "other"]),
  from: z.optional(text),
  sizeBefore: z.optional(count),
  sizeAfter: z.optional(count),
  linesAdded: z.optional(count),
  linesRemoved: z.optional(count),
  isBinary: z.optional(flag),
  modeBefore: z.optional(count),
  modeAfter: z.optional(count),
  notRestorable: z.optional(text),
});

/** What files became, without who did it. */
const changed = {
  files: z.array(fileChange),
  linesAdded: count,
  linesRemoved: count,
  counted: z.array(exactly<CountedFolder>({ path: text, kind: z.enum(["created", "changed", "deleted"]) })),
  leftOut: z.array(exactly<LeftOut>({ why: text, count: z.optional(count), paths: z.optional(texts) })),
};

/** What files became between two looks. */
export const changes = exactly<ChangeSet>({
  of: z.enum(["calls", "run", "outside", "undo"]),
  calls: z.array(z.strictObject({ toolCallId: text, toolName: text })),
  ...changed,
});

/** The file that `--report` writes, and the last line of json mode. */
export const runReport = exactly<RunReport>({
  type: z.literal("run_report"),
  version: z.literal(1),
  outcome: z.enum(["done", "error", "aborted", "limit", "unproven"]),
  exitCode: count,
  why: z.optional(text),
  task: z.optional(text),
  answer: text,
  program: text,
  sessionId: z.optional(text),
  traceId: z.optional(text),
  model: z.optional(z.strictObject({ provider: text, id: text })),
  sandbox: z.optional(z.strictObject({ level: text, weaknesses: texts })),
  cwd: z.optional(text),
  prompt: z.optional(z.strictObject({ stable: text, dynamic: text, full: text })),
  totals: z.optional(totals),
  rounds: z.array(
    exactly<RoundBill>({
      round: positive,
      uncached: count,
      cached: count,
      output: count,
      cost: z.optional(amount),
      lost: z.optional(exactly<LostCache>({ because: texts, tokens: count, cost: z.optional(amount) })),
    }),
  ),
  changes: z.optional(z.strictObject(changed)),
  trial: z.optional(
    exactly<TrialResult>({
      patch: z.optional(text),
      files: z.array(
        exactly<PatchedFile>({
          path: text,
          kind: z.enum(["created", "changed", "deleted", "moved", "mode"]),
          from: z.optional(text),
          linesAdded: z.optional(count),
          linesRemoved: z.optional(count),
          becomes: z.optional(z.enum(["executable", "not executable", "a link"])),
        }),
      ),
      leftOut: changed.leftOut,
      cost: exactly<TrialCost>({
        files: count,
        bytes: count,
        reflink: z.enum(["yes", "partly", "no"]),
        baseBytes: count,
        milliseconds: amount,
      }),
      why: z.optional(text),
    }),
  ),
  commands: z.array(exactly<CommandFact>({
    command: text,
    exitCode: z.optional(whole),
    background: z.optional(text),
    durationMs: amount,
  })),
  failedCalls: count,
  failures: z.array(exactly<FailureFact>({ tool: text, target: z.optional(text), why: text })),
  deniedCalls: count,
  denials: z.array(
    exactly<DenialFact>({
      tool: text,
      kind: z.optional(z.enum(["read", "write", "run", "net"])),
      target: z.optional(text),
      why: text,
      grant: z.nullable(text),
      calls: positive,
    }),
  ),
  hosts: texts,
  checks: z.array(
    exactly<CheckFact>({
      command: text,
      passed: flag,
      runs: positive,
      exitCode: z.optional(whole),
      output: z.optional(text),
    }),
  ),
  limit: z.optional(text),
  warnings: texts,
});

/** The published schema of `--report FILE.json`. */
export function reportSchema(): Record<string, unknown> {
  return {
    ...z.toJSONSchema(runReport),
    title: "sandpiper run report",
    description: "What --report writes, and the last line of --mode json",
  };
}
