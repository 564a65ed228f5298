import type { EngineState } from "../../core/engine.ts";
import { messageOf, UserError } from "../../core/error.ts";
import type { RunEnding } from "../../core/event.ts";
import type { RunReport } from "./run_report.ts";
import { VERSION } from "../../core/version.ts";
import { replaceFile } from "../../core/support/replace_file.ts";
import { billOf } from "../../session/bill.ts";
import type { RunFacts } from "./facts.ts";
import { reportMarkdown } from "./markdown.ts";

/** How a run ended, and what the process ends with. */
export interface RunEnd {
  readonly outcome: RunEnding;
  readonly exitCode: number;
  readonly why?: string;
  readonly limit?: string;
}

/** The report of a run. `state`: as the engine has it, where one was opened. */
export function runReport(end: RunEnd, facts: RunFacts, state: EngineState | undefined): RunReport {
  const { answer, commands, denials, deniedCalls, failedCalls, checks, hosts, warnings, rounds } = facts;
  const { outcome, exitCode, why, limit } = end;
  const opened = state && {
    sessionId: state.sessionId,
    model: { provider: state.model.provider, id: state.model.id },
    sandbox: { level: state.policy.sandbox, weaknesses: state.policy.weaknesses ?? [] },
    cwd: state.cwd,
  };
  const { files, linesAdded, linesRemoved, counted, leftOut } = facts.changes ?? {};
  return {
    type: "run_report",
    version: 1,
    outcome,
    exitCode,
    ...(why === undefined ? {} : { why }),
    ...(facts.task === undefined ? {} : { task: facts.task }),
    answer,
    program: VERSION,
    ...opened,
    ...(facts.fingerprints ? { prompt: facts.fingerprints } : {}),
    ...(facts.totals ? { totals: facts.totals } : {}),
    rounds: billOf(rounds),
    ...(files && linesAdded !== undefined && linesRemoved !== undefined && counted && leftOut
      ? { changes: { files, linesAdded, linesRemoved, counted, leftOut } }
      : {}),
    commands,
    failedCalls,
    deniedCalls,
    denials,
    hosts,
    checks,
    ...(limit === undefined ? {} : { limit }),
    warnings,
  };
}

/** Refuses a place at once where nothing could be written at the end. Throws UserError. */
export function checkPlace(path: string, option: string): void {
  const what = kindOf(path);
  if (what === "file") return;
  if (what !== undefined) throw cannotWrite(path, option, `it is ${what}`, 2);
  const folder = path.replace(/[^/]*$/, "") || ".";
  if (kindOf(folder) !== "a folder") throw cannotWrite(path, option, `there is no folder ${folder}`, 2);
}

/** Writes the report: Markdown for a name that ends in `.md`, else JSON. Throws UserError. */
export function writeReport(path: string, report: RunReport): void {
  writeWhole(path, "--report", path.endsWith(".md") ? reportMarkdown(report) : JSON.stringify(report, null, 2) + "\n");
}

/** Replaces a file that the person named, whole or not at all; a link's target, as any program would. Throws UserError. */
export function writeWhole(path: string, option: string, text: string): void {
  checkPlace(path, option);
  try {
    replaceFile(kindOf(path) === undefined ? path : Deno.realPathSync(path), text);
  } catch (error) {
    throw cannotWrite(path, option, messageOf(error), 1);
  }
}

function kindOf(path: string): "file" | "a folder" | "no file" | undefined {
  try {
    const { isFile, isDirectory } = Deno.statSync(path);
    return isFile ? "file" : isDirectory ? "a folder" : "no file";
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? undefined : "no file";
  }
}

function cannotWrite(path: string, option: string, why: string, exitCode: number): UserError {
  const fix = `Name a file after ${option} that can be written`;
  return new UserError({ what: `Cannot write "${path}"`, why, fix, exitCode });
}
