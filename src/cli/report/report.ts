import { basename, dirname, join } from "@std/path";
import type { EngineState } from "../../core/engine.ts";
import type { TrialResult } from "../../core/changes.ts";
import { messageOf, UserError } from "../../core/error.ts";
import type { RunEnding } from "../../core/event.ts";
import type { RunReport } from "./run_report.ts";
import { VERSION } from "../../core/version.ts";
import { replaceFile } from "../../core/support/replace_file.ts";
import { billOf } from "../../session/bill.ts";
import type { RunFacts } from "./facts.ts";

/** How a run ended, and what the process ends with. */
export interface RunEnd {
  readonly outcome: RunEnding;
  readonly exitCode: number;
  readonly why?: string;
  readonly limit?: string;
}

/** The report of a run. `state`: as the engine has it, where one was opened. */
export function runReport(
  end: RunEnd,
  facts: RunFacts,
  state: EngineState | undefined,
  trial?: TrialResult,
): RunReport {
  const { answer, commands, denials, deniedCalls, failedCalls, checks, hosts, warnings, rounds } = facts;
  const { outcome, exitCode, why, limit } = end;
  const opened = state && {
    sessionId: state.sessionId,
    model: { provider: state.model.provider, id: state.model.id },
    sandbox: { level: state.policy.sandbox, weaknesses: state.policy.weaknesses ?? [] },
    cwd: state.cwd,
    ...(state.traceId === undefined ? {} : { traceId: state.traceId }),
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
    ...(trial ? { trial } : {}),
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

/** A file that the person named, as it stood before anything else could run. */
export interface Place {
  /** As it was named, absolute. */
  readonly path: string;
  /** Where that led, links followed: nothing is written elsewhere. */
  readonly real: string;
}

/** Where a file is to be written at the end. Refuses at once where nothing could be. Throws UserError. */
export function placeOf(path: string, option: string): Place {
  const what = kindOf(path);
  if (what === "file") return { path, real: Deno.realPathSync(path) };
  if (what !== undefined) throw cannotWrite(path, option, `it is ${what}`, 2);
  const folder = dirname(path);
  if (kindOf(folder) !== "a folder") throw cannotWrite(path, option, `there is no folder ${folder}`, 2);
  return { path, real: join(Deno.realPathSync(folder), basename(path)) };
}

/**
 * Writes the report to each place: Markdown for a name that ends in `.md`, else JSON; `-` to standard output. One that cannot
 * be written keeps none of the others back. Throws UserError for the first such.
 */
export async function writeReports(
  places: readonly (Place | "-")[],
  report: RunReport,
  print: (text: string) => void,
): Promise<void> {
  const json = JSON.stringify(report, null, 2) + "\n";
  const failures: unknown[] = [];
  for (const place of places) {
    try {
      if (place === "-") print(json);
      else if (!place.path.endsWith(".md")) writeWhole(place, "--report", json);
      else writeWhole(place, "--report", (await import("./markdown.ts")).reportMarkdown(report));
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/**
 * Replaces a file that the person named, whole or not at all. What a run put there leads nowhere: a folder that is another
 * one by now is refused, and a link in the file's place is itself replaced. Throws UserError.
 */
export function writeWhole({ path, real }: Place, option: string, text: string): void {
  try {
    const folder = dirname(real);
    if (Deno.realPathSync(folder) !== folder) {
      throw cannotWrite(path, option, "its folder leads elsewhere than it did before the run", 1);
    }
    replaceFile(real, text);
  } catch (error) {
    throw error instanceof UserError ? error : cannotWrite(path, option, messageOf(error), 1);
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
