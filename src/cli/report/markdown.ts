import { modelName } from "../../core/provider.ts";
import { lostText } from "../../core/support/lost_text.ts";
import type { FileChange } from "../../core/changes.ts";
import type { RunReport } from "./run_report.ts";
import { counted, stripControls } from "../../core/support/text.ts";
import { fenced, proseMarkdown } from "../../session/export/markdown.ts";

/** Lines of a failed check. */
const LAST_LINES = 20;

/** Rows of a table, so that a job summary stays one page. */
const ROWS = 50;

const TITLES = {
  done: "Done",
  error: "Failed",
  aborted: "Stopped",
  limit: "Ended by a limit",
  unproven: "Not proven",
} as const satisfies Readonly<Record<RunReport["outcome"], string>>;

/** A report as Markdown for a job summary: what counts first, the model's own words last. */
export function reportMarkdown(report: RunReport): string {
  const { outcome, exitCode, why, changes, commands, denials, checks, hosts, warnings, answer } = report;
  const isFailure = exitCode !== 0;
  return [
    `## ${isFailure && outcome === "done" ? "Failed" : TITLES[outcome]} (exit code ${exitCode})`,
    ...(why ? [markdownLine(why)] : []),
    ...(report.task ? [`Task: ${code(report.task)}`] : []),
    factsLine(report),
    ...trialLines(report),
    ...table("Checks", ["command", "result", "runs"], checks, (one) => [
      code(one.command),
      one.passed ? "passed" : one.exitCode === undefined ? "failed" : `failed, exit code ${one.exitCode}`,
      String(one.runs),
    ]),
    ...checks.flatMap(({ command, output }) => output ? [`${code(command)} said last:`, block(output)] : []),
    ...(changes
      ? changes.files.length === 0
        ? [
          `No file was changed${
            changes.counted.length > 0 ? ` but in ${changes.counted.length} ignored folders` : ""
          }.`,
        ]
        : table(
          `Files: ${changes.files.length} changed, +${changes.linesAdded} −${changes.linesRemoved} lines`,
          ["file", "what", "lines"],
          changes.files,
          fileRow,
        )
      : []),
    ...table(
      "Denied",
      ["tool", "what", "why", "would be allowed by"],
      denials,
      ({ tool, kind, target, why, grant }) => [
        code(tool),
        kind === undefined || target === undefined ? "–" : `${kind} ${code(target)}`,
        markdownLine(why),
        grant === null ? "none known" : code(grant),
      ],
    ),
    ...table("Failed", ["tool", "what", "why"], report.failures, ({ tool, target, why }) => [
      code(tool),
      target === undefined ? "–" : code(target),
      markdownLine(why),
    ]),
    ...table(
      "Commands",
      ["command", "exit code", "seconds"],
      commands,
      ({ command, exitCode, background, durationMs }) => [
        code(command) + (background ? ` (background ${code(background)})` : ""),
        exitCode === undefined ? background ? "still running when the run ended" : "–" : String(exitCode),
        (durationMs / 1000).toFixed(1),
      ],
    ),
    ...table(
      "Cache lost",
      ["round", "why"],
      report.rounds.flatMap(({ round, lost }) => lost ? [{ round, lost }] : []),
      ({ round, lost }) => [String(round), markdownLine(lostText(lost))],
    ),
    ...(hosts.length > 0 ? [`Hosts reached: ${hosts.map(code).join(", ")}`] : []),
    ...warnings.slice(0, ROWS).map((line) => `> ${markdownLine(line)}`),
    // A picture's address could tell its server what the model has read, and a heading pass for one of the report's.
    ...(answer === ""
      ? []
      : ["### What the model said", proseMarkdown(answer).replace(/^(?=.)/gm, "> ").replace(/^$/gm, ">")]),
  ].join("\n\n") + "\n";
}

function factsLine({ totals, model, sandbox, sessionId, limit, deniedCalls, failedCalls }: RunReport): string {
  const parts = [
    ...(model ? [`model ${code(modelName(model))}`] : []),
    ...(totals
      ? [
        counted(totals.turns, "round"),
        `${counted(totals.toolCalls, "call")} (${failedCalls} failed, ${deniedCalls} denied)`,
        `${number(totals.input + totals.cacheWrite)} tokens in, ${number(totals.cacheRead)} cached, ${
          number(totals.output)
        } out`,
        ...(totals.cost === undefined ? [] : [`$${totals.cost.toFixed(4)}`]),
        `${(totals.durationMs / 1000).toFixed(1)} s`,
      ]
      : []),
    ...(limit ? [`limit ${code(limit)}`] : []),
    ...(sandbox ? [`sandbox ${sandbox.level}`] : []),
    ...(sessionId ? [`session ${code(sessionId)}`] : []),
  ];
  return parts.join(" · ");
}

/** Of a trial: nothing of what is told of files happened to the workspace. */
function trialLines({ trial }: RunReport): string[] {
  if (trial === undefined) return [];
  const { patch, files, leftOut, why } = trial;
  const left = leftOut.map((one) => `> ${markdownLine(one.why)}: ${(one.paths ?? []).map(code).join(", ")}`);
  if (files.length === 0) return [`Trial: nothing for a patch.${why ? ` ${markdownLine(why)}` : ""}`, ...left];
  const where = patch === undefined ? `no patch was kept: ${markdownLine(why ?? "")}` : `the patch is ${code(patch)}`;
  return [`Trial: the workspace was not changed; ${where} (${counted(files.length, "file")}).`, ...left];
}

function fileRow(file: FileChange): string[] {
  const { path, kind, from, linesAdded, linesRemoved, isBinary, modeBefore, modeAfter } = file;
  const lines = linesAdded === undefined || linesRemoved === undefined
    ? isBinary ? "binary" : "–"
    : `+${linesAdded} −${linesRemoved}`;
  const what = from === undefined ? kind : `moved from ${code(from)}`;
  if (modeBefore === undefined || modeAfter === undefined) return [code(path), what, lines];
  const modes = `mode ${modeBefore.toString(8)} → ${modeAfter.toString(8)}`;
  return [code(path), kind === "mode" ? modes : `${what}, ${modes}`, lines];
}

function table<T>(title: string, heads: readonly string[], rows: readonly T[], cells: (row: T) => readonly string[]) {
  if (rows.length === 0) return [];
  const lines = rows.slice(0, ROWS).map((row) => `| ${cells(row).join(" | ")} |`);
  const more = rows.length > ROWS ? `\n\n${rows.length - ROWS} more are in the report as JSON.` : "";
  return [
    `### ${title}`,
    [`| ${heads.join(" | ")} |`, `|${" --- |".repeat(heads.length)}`, ...lines].join("\n") + more,
  ];
}

/** Foreign text in lines of its own: its end, as code that nothing in it can end. */
function block(foreign: string): string {
  return fenced(stripControls(foreign).trimEnd().split("\n").slice(-LAST_LINES).join("\n"));
}

/** Foreign text in a cell: one line, no pipe, nothing that ends the code. */
function code(foreign: string): string {
  const line = stripControls(foreign).replace(/\s+/g, " ").trim();
  const short = line.length > 200 ? `${line.slice(0, 199)}…` : line;
  const fence = "`".repeat(Math.max(0, ...(short.match(/`+/g) ?? []).map((run) => run.length)) + 1);
  const pad = /^`|`$/.test(short) ? " " : "";
  // A backslash right before it would take the escape's own away, and the cell would end there.
  const escaped = short.replace(/(\\?)\|/g, (_, before) => before === "" ? "\\|" : "\\ \\|");
  return `${fence}${pad}${escaped}${pad}${fence}`;
}

/** Foreign text in a line or cell: nothing in it is markup, and nothing makes a fence, a list or a rule of the line. */
export function markdownLine(foreign: string): string {
  const line = stripControls(foreign).replace(/\s+/g, " ").trim();
  return line.replace(/[\\`*_[\]<>|#&~]/g, "\\$&")
    .replace(/^[-+](?=[-\s]|$)/, "\\$&").replace(/^(\d{1,9})(?=[.)](?:\s|$))/, "$1\\");
}

function number(value: number): string {
  return value.toLocaleString("en");
}
