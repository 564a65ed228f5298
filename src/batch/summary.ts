import type { AttemptRecord } from "./results.ts";
import { type Difference, mean, median, pairedDifference, passAt } from "./statistics.ts";

/** What came of the attempts of one task, one group or all. */
export interface Summary {
  readonly name: string;
  readonly tasks: number;
  readonly attempts: number;
  /** Ended with exit code 0. */
  readonly passed: number;
  /** Had a check, a condition or a schema that could fail. */
  readonly proven: number;
  /** The mean over tasks of how many of their attempts passed; 0 to 1. */
  readonly passRate: number;
  /** How often at least one of k attempts passes, over tasks that have so many; by k. */
  readonly passAt: Readonly<Record<string, number>>;
  /** How many tasks each number of `passAt` is made from. */
  readonly passAtTasks: Readonly<Record<string, number>>;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
  /** Of one attempt, in the middle; milliseconds. */
  readonly medianMs: number;
  readonly deniedCalls: number;
  /** How often each exit code came, by code. */
  readonly exitCodes: Readonly<Record<string, number>>;
}

/** A batch, added up. */
export interface BatchSummary {
  readonly all: Summary;
  /** By name; none where no task has a group. */
  readonly groups: readonly Summary[];
  readonly tasks: readonly Summary[];
}

/** Adds up the records of a batch. */
export function summarizeBatch(records: readonly AttemptRecord[]): BatchSummary {
  const byGroup = Map.groupBy(records, ({ group }) => group ?? "");
  const named = [...byGroup].filter(([name]) => name !== "").sort(([a], [b]) => a.localeCompare(b));
  const none = byGroup.get("");
  return {
    all: summaryOf("all", records),
    groups: named.length === 0 ? [] : [
      ...named.map(([name, ones]) => summaryOf(name, ones)),
      ...(none ? [summaryOf("(no group)", none)] : []),
    ],
    tasks: [...byTask(records)].map(([name, ones]) => summaryOf(name, ones)),
  };
}

const byTask = (records: readonly AttemptRecord[]): Map<string, AttemptRecord[]> =>
  Map.groupBy(records, ({ task }) => task);

/** Which k are worth a column. */
const KS = [1, 2, 3, 5, 10, 25, 50, 100];

function summaryOf(name: string, records: readonly AttemptRecord[]): Summary {
  const tasks = [...byTask(records).values()];
  const passedOf = (ones: readonly AttemptRecord[]): number => ones.filter(({ passed }) => passed).length;
  const sum = (of: (record: AttemptRecord) => number): number => records.reduce((all, one) => all + of(one), 0);
  const codes: Record<string, number> = {};
  for (const { exitCode } of records) codes[exitCode] = (codes[exitCode] ?? 0) + 1;
  const most = tasks.reduce((found, { length }) => Math.max(found, length), 0);
  const estimates = KS.filter((k) => k <= most).map((k) =>
    [String(k), tasks.flatMap((ones) => passAt(k, ones.length, passedOf(ones)) ?? [])] as const
  );
  return {
    name,
    tasks: tasks.length,
    attempts: records.length,
    passed: passedOf(records),
    proven: records.filter(({ proven }) => proven).length,
    passRate: tasks.length === 0 ? 0 : mean(tasks.map((ones) => passedOf(ones) / ones.length)),
    passAt: Object.fromEntries(estimates.map(([k, ones]) => [k, mean(ones)])),
    passAtTasks: Object.fromEntries(estimates.map(([k, ones]) => [k, ones.length])),
    inputTokens: sum(({ inputTokens }) => inputTokens),
    cachedTokens: sum(({ cachedTokens }) => cachedTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    costUsd: sum(({ costUsd }) => costUsd),
    medianMs: records.length === 0 ? 0 : median(records.map(({ durationMs }) => durationMs)),
    deniedCalls: sum(({ deniedCalls }) => deniedCalls),
    exitCodes: codes,
  };
}

/** What is compared, for each task the mean of its attempts. */
const MEASURES = {
  passRate: ({ passed }: AttemptRecord) => passed ? 1 : 0,
  tokens: ({ inputTokens, cachedTokens, outputTokens }: AttemptRecord) => inputTokens + cachedTokens + outputTokens,
  costUsd: ({ costUsd }: AttemptRecord) => costUsd,
  durationMs: ({ durationMs }: AttemptRecord) => durationMs,
  deniedCalls: ({ deniedCalls }: AttemptRecord) => deniedCalls,
} as const;

/** One number of two batches, of the tasks that both have. */
export interface Compared {
  readonly before: number;
  readonly after: number;
  /** After less before. */
  readonly difference: Difference;
}

/** Two batches beside each other. */
export interface Comparison {
  readonly measures: Readonly<Partial<Record<keyof typeof MEASURES, Compared>>>;
  /** Tasks that only one of the two has: no part of the numbers. */
  readonly onlyBefore: readonly string[];
  readonly onlyAfter: readonly string[];
  /** Tasks that had another workspace, prompt or options. */
  readonly changed: number;
}

/** Compares two batches task by task. */
export function compareBatches(before: readonly AttemptRecord[], after: readonly AttemptRecord[]): Comparison {
  const [old, young] = [byTask(before), byTask(after)];
  const both = [...old.keys()].filter((name) => young.has(name));
  const of = (name: string): [readonly AttemptRecord[], readonly AttemptRecord[]] => [
    old.get(name) ?? [],
    young.get(name) ?? [],
  ];
  const measures = Object.entries(MEASURES).flatMap(([name, measure]) => {
    const pairs = both.map((task) => of(task).map((ones) => mean(ones.map(measure))) as [number, number]); // two of two
    const difference = pairedDifference(pairs.map(([a, b]) => b - a));
    if (!difference) return [];
    return [[name, { before: mean(pairs.map(([a]) => a)), after: mean(pairs.map(([, b]) => b)), difference }] as const];
  });
  return {
    measures: Object.fromEntries(measures),
    onlyBefore: [...old.keys()].filter((name) => !young.has(name)),
    onlyAfter: [...young.keys()].filter((name) => !old.has(name)),
    changed: both.filter((name) => of(name)[0][0]?.digest !== of(name)[1][0]?.digest).length,
  };
}
