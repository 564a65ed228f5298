import { dirname } from "@std/path";
import type { EngineState } from "../../core/engine.ts";
import type { TrialResult } from "../../core/changes.ts";
import { messageOf, UserError } from "../../core/error.ts";
import type { RunEnding } from "../../core/event.ts";
import type { RunReport } from "./run_report.ts";
import { VERSION } from "../../core/version.ts";
import type { NamedFile, NamedFiles } from "../../core/named_files.ts";
import { isFolder } from "../../core/support/on_disk.ts";
import { visibleJson } from "../../core/support/text.ts";
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
  const { answer, commands, denials, deniedCalls, failedCalls, failures, checks, hosts, warnings, rounds } = facts;
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
    failures,
    deniedCalls,
    denials,
    hosts,
    checks,
    ...(limit === undefined ? {} : { limit }),
    warnings,
  };
}

/**
 * Checks before the run where a file is written after it.
 *
 * @param path Absolute, as the user named it.
 * @throws UserError (exit code 2) if it cannot be written there, or if a link leads out of the workspace.
 */
export function outputFile(files: NamedFiles, path: string, option: string): NamedFile {
  const file = files.find(path, { access: "write", typed: true });
  const folder = dirname(file.real);
  if (!isFolder(folder)) throw cannotWrite(path, option, `there is no folder ${folder}`, 2);
  const there = files.status(file);
  if (there && !there.isFile) {
    throw cannotWrite(path, option, `it is ${there.isDirectory ? "a folder" : "not a file"}`, 2);
  }
  return file;
}

/**
 * Writes the report to each place: Markdown for a name that ends in `.md`, else JSON; `-` to standard output. One that cannot
 * be written keeps none of the others back. Throws UserError for the first such.
 */
export async function writeReports(
  files: NamedFiles,
  places: readonly (NamedFile | "-")[],
  report: RunReport,
  print: (text: string) => Promise<unknown>,
): Promise<void> {
  const json = visibleJson(report, 2) + "\n";
  const failures: unknown[] = [];
  for (const place of places) {
    try {
      if (place === "-") await print(json);
      else if (!place.path.endsWith(".md")) writeWhole(files, place, "--report", json);
      else writeWhole(files, place, "--report", (await import("./markdown.ts")).reportMarkdown(report));
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/**
 * Replaces a file that the user named, whole or not at all. A link that the run put in its place is replaced, and a link in the
 * place of its directory is an error. Throws UserError.
 */
export function writeWhole(files: NamedFiles, file: NamedFile, option: string, text: string): void {
  try {
    files.replace(file, new TextEncoder().encode(text));
  } catch (error) {
    throw cannotWrite(file.path, option, messageOf(error), 1);
  }
}

function cannotWrite(path: string, option: string, why: string, exitCode: number): UserError {
  const fix = `Name a file after ${option} that can be written`;
  return new UserError({ what: `Cannot write "${path}"`, why, fix, exitCode });
}
