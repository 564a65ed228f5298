import { counted, visibleJson } from "../../core/support/text.ts";
import { resolve } from "@std/path";
import { type AttemptRecord, readRecords } from "../../batch/results.ts";
import { type BatchSummary, compareBatches, type Comparison, summarizeBatch } from "../../batch/summary.ts";
import type { Invocation } from "../../config/options/parse.ts";
import { namedFilesIn } from "../../config/named_files.ts";
import { readWorld } from "../../config/host_environment.ts";
import { UserError } from "../../core/error.ts";
import { isFolder } from "../../core/support/on_disk.ts";
import { batched, writeNew } from "../../session/export/write_new.ts";
import { oneLine, visible } from "../../session/view/visible_text.ts";
import { warner } from "../output/report.ts";
import { writeAll } from "../output/write_all.ts";
import { markdownLine } from "../report/markdown.ts";
import { comparisonTable, summaryTables, type Table } from "./tables.ts";

/** A name in a table; records of a shared folder are written by others, and may have any. */
const LONGEST = 200;

/** `sandpiper batch report DIR [DIR]`: one batch in numbers, or two beside each other; the exit code. */
export async function batchReport(invocation: Invocation): Promise<number> {
  const { values, words: [, first, second, ...more] } = invocation;
  if (first === undefined || more.length > 0) {
    throw new UserError({
      what: "Cannot report on a batch",
      why: first === undefined ? "no folder of results is named" : "at most two folders can be compared",
      fix: "Write sandpiper batch report results, or batch report before after",
    });
  }
  const warn = warner(invocation);
  const read = (word: string): { readonly name: string; readonly records: readonly AttemptRecord[] } => {
    const world = readWorld();
    const folder = namedFilesIn(world).find(resolve(world.cwd, word), { access: "read", typed: true }).real;
    const { records, unread } = resultsIn(folder);
    if (unread > 0) {
      warn(`${counted(unread, "folder")} of results in ${folder} without an attempt.json that can be read: left out`);
    }
    return { name: word, records };
  };
  const before = read(first);
  const after = second === undefined ? undefined : read(second);
  const sides = [before, ...(after ? [after] : [])].map(({ name, records }) => ({
    name,
    summary: summarizeBatch(records),
  }));
  const comparison = after && compareBatches(before.records, after.records);
  const pieces = await shown(sides, comparison, typeof values["format"] === "string" ? values["format"] : "text");
  const output = values["output"];
  if (typeof output === "string" && output !== "-") {
    const world = readWorld();
    writeNew(namedFilesIn(world), resolve(world.cwd, output), pieces);
  } else for (const piece of batched(pieces)) if (!writeAll(Deno.stdout, piece)) break;
  return 0;
}

function resultsIn(folder: string): ReturnType<typeof readRecords> {
  if (isFolder(`${folder}/results`)) return readRecords(folder);
  throw new UserError({
    what: `There are no results in ${folder}`,
    why: "it has no folder results",
    fix: "Name the folder that sandpiper batch got with -o",
  });
}

/** One side of a report. */
export interface Side {
  readonly name: string;
  readonly summary: BatchSummary;
}

async function shown(
  sides: readonly Side[],
  comparison: Comparison | undefined,
  format: string,
): Promise<Iterable<string>> {
  if (format === "json") {
    return [visibleJson({ type: "batch_report", version: 1, batches: sides, comparison }, 2), "\n"];
  }
  const tables = [
    ...sides.flatMap(({ name, summary }) => summaryTables(name, summary)),
    ...(comparison ? comparisonTable(sides.map(({ name }) => name), comparison) : []),
  ];
  if (format === "html") return (await import("./html.ts")).reportPage(sides, tables);
  return tables.flatMap((table) => [format === "md" ? markdown(table) : plain(table), "\n"]);
}

function plain({ title, columns, rows, notes }: Table): string {
  const cells = [columns, ...rows.map((row) => row.map(({ text }) => oneLine(text, LONGEST)))];
  const widths = columns.map((_, at) => Math.max(...cells.map((row) => [...(row[at] ?? "")].length)));
  const lines = cells.map((row) =>
    row.map((text, at) => at === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[at] ?? 0)).join("  ").trimEnd()
  );
  return `${[oneLine(title, LONGEST), ...lines.map((line) => `  ${line}`), ...notes.map(visible)].join("\n")}\n`;
}

function markdown({ title, columns, rows, notes }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [
    `### ${markdownLine(title)}`,
    "",
    line(columns),
    line(columns.map((_, at) => at === 0 ? "---" : "--:")),
    ...rows.map((row) => line(row.map(({ text }) => markdownLine(oneLine(text, LONGEST))))),
    ...(notes.length > 0 ? ["", ...notes.map(markdownLine)] : []),
  ].join("\n") + "\n";
}
