import { counted } from "../../core/support/text.ts";
import type { BatchSummary, Compared, Comparison, Summary } from "../../batch/summary.ts";
import { dollars, duration } from "./progress.ts";

/** A table as people read it. */
export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** Sentences below it. */
  readonly notes: readonly string[];
}

/** A place in a table; `value`: what it is sorted by. */
export interface Cell {
  readonly text: string;
  readonly value: number | string;
}

/** A batch by all, by group where there are some, and by task. */
export function summaryTables(name: string, { all, groups, tasks }: BatchSummary): Table[] {
  const ks = Object.keys(all.passAt).filter((k) => k !== "1");
  const columns = [
    "",
    "attempts",
    "passed",
    "pass rate",
    ...ks.map((k) => `pass@${k}`),
    "tokens",
    "cached",
    "cost",
    "time",
    "denied",
  ];
  const row = (one: Summary): Cell[] => [
    { text: one.name, value: one.name },
    count(one.attempts),
    count(one.passed),
    percent(one.passRate),
    ...ks.map((k): Cell => {
      const share = one.passAt[k];
      if (share === undefined) return { text: "", value: -1 };
      const { text } = percent(share);
      return { text: isPart(one, k) ? `${text}*` : text, value: share };
    }),
    count(one.inputTokens + one.cachedTokens + one.outputTokens),
    count(one.cachedTokens),
    { text: dollars(one.costUsd), value: one.costUsd },
    { text: duration(one.medianMs), value: one.medianMs },
    count(one.deniedCalls),
  ];
  const unproven = all.attempts - all.proven;
  const codes = Object.entries(all.exitCodes).map(([code, times]) => `${code} (${times})`).join(", ");
  const notes = [
    `Exit codes, and how often: ${codes || "none"}. Time is that of one attempt, the median.`,
    ...(unproven > 0
      ? [
        `${unproven} of ${
          counted(all.attempts, "attempt")
        } had no check that could fail: such a pass says only that it ended well.`,
      ]
      : []),
  ];
  const table = (title: string, rows: readonly Summary[], below: readonly string[]): Table => ({
    title,
    columns,
    rows: rows.map(row),
    notes: [...partNotes(rows, ks), ...below],
  });
  return [
    table(`${name}: ${counted(all.tasks, "task")}`, [all], notes),
    ...(groups.length > 0 ? [table(`${name}: by group`, groups, [])] : []),
    table(`${name}: by task`, tasks, []),
  ];
}

/** Whether some tasks have too few attempts for `pass@k`. */
function isPart({ tasks, passAtTasks }: Summary, k: string): boolean {
  return passAtTasks[k] !== undefined && passAtTasks[k] < tasks;
}

/** From which tasks the numbers with a star are. */
function partNotes(rows: readonly Summary[], ks: readonly string[]): string[] {
  const [only, ...more] = rows;
  if (!only || !ks.some((k) => rows.some((row) => isPart(row, k)))) return [];
  if (more.length > 0) return ["* Of the tasks alone that have so many attempts."];
  return ks.filter((k) => isPart(only, k)).map((k) =>
    `* pass@${k} is of the ${counted(only.passAtTasks[k] ?? 0, "task")} of ${only.tasks} with ${k} attempts or more.`
  );
}

/** Two batches beside each other. */
export function comparisonTable(names: readonly string[], comparison: Comparison): Table[] {
  const { measures, onlyBefore, onlyAfter, changed } = comparison;
  const shown: readonly [keyof Comparison["measures"], string, (value: number) => string][] = [
    ["passRate", "pass rate", (value) => `${(value * 100).toFixed(1)} %`],
    ["tokens", "tokens", (value) => String(Math.round(value))],
    ["costUsd", "cost", dollars],
    ["durationMs", "time", duration],
    ["deniedCalls", "denied", (value) => value.toFixed(2)],
  ];
  const pairs = measures.passRate?.difference.pairs ?? 0;
  const rows = shown.flatMap(([name, title, text]) => {
    const one = measures[name];
    return one ? [compared(title, one, text)] : [];
  });
  const others = [
    ...(onlyBefore.length > 0 ? [`${counted(onlyBefore.length, "task")} only in ${names[0]}`] : []),
    ...(onlyAfter.length > 0 ? [`${counted(onlyAfter.length, "task")} only in ${names[1]}`] : []),
  ];
  return [{
    title: `${names[0]} → ${names[1]}: ${counted(pairs, "task")} of both, means of their attempts`,
    columns: ["", "before", "after", "difference", "95 % interval", ""],
    rows,
    notes: [
      "The interval is that of a paired bootstrap over tasks. Without a zero in it chance alone does not explain the difference.",
      ...(others.length > 0 ? [`Left out: ${others.join(", ")}.`] : []),
      ...(changed > 0
        ? [`${counted(changed, "task was", "tasks were")} asked in another way (workspace, prompt or options).`]
        : []),
    ],
  }];
}

function compared(title: string, { before, after, difference }: Compared, text: (value: number) => string): Cell[] {
  const { mean, low, high } = difference;
  const signed = (value: number): string => `${value < 0 ? "-" : "+"}${text(Math.abs(value))}`;
  const verdict = low > 0 ? "more" : high < 0 ? "less" : "no difference shown";
  return [
    { text: title, value: title },
    { text: text(before), value: before },
    { text: text(after), value: after },
    { text: signed(mean), value: mean },
    { text: `${signed(low)} to ${signed(high)}`, value: low },
    { text: verdict, value: verdict },
  ];
}

function count(value: number): Cell {
  return { text: value.toLocaleString("en"), value };
}

function percent(share: number): Cell {
  return { text: `${(share * 100).toFixed(1)} %`, value: share };
}
