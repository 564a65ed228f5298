/** Median of a list of numbers, its tenth and ninetieth percentile, and how long it is. */
export interface Spread {
  readonly median: number | null;
  readonly p10: number | null;
  readonly p90: number | null;
  readonly count: number;
}

/** Numbers of a part of the benchmark that is not the loop: measure, then subject. */
export interface Part {
  readonly part: string;
  readonly measures: Readonly<Record<string, Readonly<Record<string, Spread>>>>;
  /** What could not be measured, and what went wrong; one sentence each. */
  readonly notes: readonly string[];
}

/**
 * One median to reach: at most `limit`; with `over`, at most `limit` more or times that subject's.
 *
 * Milliseconds hold on the machine that they were set on. With `scale` the limit is also that of this machine: as many times
 * higher as what somebody else's program takes here is higher than what it took there.
 */
interface PartGoal {
  readonly part: string;
  readonly measure: string;
  readonly subject: string;
  readonly limit: number;
  readonly over?: { readonly subject: string; readonly by: "difference" | "ratio" };
  readonly scale?: { readonly measure: string; readonly subject: string; readonly thereMs: number };
}

const CALL = "bash -c true";
const COMPILE = "compile, 10 context files, 100 skills, 30 tools";

/** Measures of the part `batch`. */
export const SIDE_BY_SIDE = "eight runs side by side, what is left or grows";
export const MANY = "a report of 10,000 attempts";

/** The launcher of commands that the goals were set beside: 36 to 61 ms there. */
const CODEX = { measure: CALL, subject: "codex sandbox", thereMs: 48.5 };
/** A program that the same compiler made of nothing. */
const EMPTY = { measure: "start", subject: "empty program", thereMs: 26 };

/** The same loop without a sandbox, in the same run. */
const PLAIN = { subject: "plain bash", by: "ratio" } as const;

const GOALS: readonly PartGoal[] = [
  { part: "sandbox", measure: CALL, subject: "kernel+, spare", limit: 10, scale: CODEX },
  { part: "sandbox", measure: CALL, subject: "kernel+, cold", limit: 60, scale: CODEX },
  { part: "sandbox", measure: CALL, subject: "kernel, spare", limit: 10, scale: CODEX },
  { part: "sandbox", measure: CALL, subject: "kernel, cold", limit: 45, scale: CODEX },
  { part: "sandbox", measure: "bash turn, model answers at once", subject: "kernel", limit: 1.5, over: PLAIN },
  { part: "sandbox", measure: "bash turn, model answers at once", subject: "kernel+", limit: 2.5, over: PLAIN },
  { part: "sandbox", measure: "bash turn, 250 ms between calls", subject: "kernel", limit: 6 },
  { part: "sandbox", measure: "bash turn, 250 ms between calls", subject: "kernel+", limit: 8 },
  { part: "sandbox", measure: "turn with eight bash calls", subject: "kernel", limit: 2, over: PLAIN },
  { part: "sandbox", measure: "turn with eight bash calls", subject: "kernel+", limit: 2, over: PLAIN },
  { part: "sandbox", measure: "CPU time of a bash call", subject: "kernel", limit: 12 },
  { part: "sandbox", measure: "CPU time of a bash call", subject: "kernel+", limit: 16 },
  { part: "sandbox", measure: "task of 20 calls", subject: "kernel", limit: 1.9, over: PLAIN },
  { part: "sandbox", measure: "task of 20 calls", subject: "kernel+", limit: 1.9, over: PLAIN },
  { part: "sandbox", measure: "CPU time of a task of 20 calls", subject: "kernel", limit: 350 },
  { part: "sandbox", measure: "CPU time of a task of 20 calls", subject: "kernel+", limit: 350 },
  { part: "sandbox", measure: "first file call, model answers at once", subject: "kernel+", limit: 120 },
  { part: "sandbox", measure: "memory, Pss in MB", subject: "kernel+, after 200 reads", limit: 105 },
  { part: "sandbox", measure: "memory, Pss in MB", subject: "kernel+, after 50 bash calls", limit: 105 },
  { part: "sandbox", measure: "memory, Pss in MB", subject: "kernel, after 200 reads", limit: 105 },
  { part: "sandbox", measure: "memory, Pss in MB", subject: "kernel, after 50 bash calls", limit: 105 },
  { part: "sandbox", measure: "read of a small file", subject: "kernel+", limit: 1, scale: CODEX },
  { part: "sandbox", measure: "read of a small file", subject: "kernel", limit: 1, scale: CODEX },
  { part: "sandbox", measure: "end of the session", subject: "kernel+", limit: 50 },
  { part: "sandbox", measure: "end of the session", subject: "kernel", limit: 50 },
  { part: "sandbox", measure: "processes left", subject: "kernel+", limit: 0 },
  { part: "sandbox", measure: "processes left", subject: "kernel", limit: 0 },
  {
    part: "sandbox",
    measure: "exec → first request",
    subject: "with tools",
    // Deciding the policy and starting one process; waiting for the runner would be a hundred.
    limit: 25,
    over: { subject: "without tools", by: "difference" },
  },
  { part: "compile", measure: COMPILE, subject: "cold, disk included", limit: 10, scale: EMPTY },
  { part: "compile", measure: COMPILE, subject: "warm", limit: 2 },
  { part: "compile", measure: "exec → prompt compiled", subject: "difference", limit: 150 },
  { part: "compile", measure: "default prompt, characters", subject: "sandpiper", limit: 2600 },
  { part: "session", measure: "append an entry", subject: "without fsync", limit: 0.2 },
  { part: "session", measure: "resume", subject: "10,000 entries", limit: 150 },
  {
    part: "session",
    measure: "a turn",
    subject: "message 1,000",
    limit: 2,
    over: { subject: "message 10", by: "ratio" },
  },
  { part: "hooks", measure: "a hook call", subject: "one handler", limit: 0.2 },
  { part: "hooks", measure: "a hook call", subject: "one handler, from source", limit: 0.2 },
  {
    part: "hooks",
    measure: "a turn with 200 messages",
    subject: "ten idle",
    limit: 5,
    over: { subject: "none", by: "difference" },
  },
  {
    part: "hooks",
    measure: "a turn with 200 messages",
    subject: "ten idle from source",
    limit: 5,
    over: { subject: "none from source", by: "difference" },
  },
  {
    part: "hooks",
    measure: "exec → first request",
    subject: "three cached",
    limit: 60,
    over: { subject: "none", by: "difference" },
  },
  { part: "facts", measure: "first look, µs a file", subject: "10,000 files", limit: 4 },
  { part: "facts", measure: "first look, µs a file", subject: "100,000 files", limit: 6 },
  { part: "facts", measure: "look, µs a file", subject: "10,000 files", limit: 4 },
  { part: "facts", measure: "look, µs a file", subject: "100,000 files", limit: 6 },
  { part: "facts", measure: "longest step of a look", subject: "10,000 files", limit: 8 },
  { part: "facts", measure: "memory, MB", subject: "100,000 files", limit: 10 },
  { part: "facts", measure: "1,000 files of 5 KB", subject: "into the pack", limit: 17 },
  { part: "facts", measure: "1,000 files of 5 KB", subject: "undo", limit: 1000 },
  { part: "facts", measure: "a turn that only reads", subject: "sandpiper", limit: 0.2 },
  {
    part: "batch",
    measure: "a task of one read",
    subject: "in a batch",
    limit: 1.3,
    over: { subject: "alone", by: "ratio" },
  },
  { part: "batch", measure: SIDE_BY_SIDE, subject: "processes", limit: 0 },
  { part: "batch", measure: SIDE_BY_SIDE, subject: "temporary folders", limit: 0 },
  // At any moment a run more or less goes on than at another one: three pipes, two files and the process itself.
  { part: "batch", measure: SIDE_BY_SIDE, subject: "open files", limit: 6 },
  // What a collection of garbage leaves to the next one.
  { part: "batch", measure: SIDE_BY_SIDE, subject: "memory, MB", limit: 10 },
  { part: "batch", measure: MANY, subject: "milliseconds", limit: 3000 },
  { part: "batch", measure: MANY, subject: "memory, MB", limit: 300 },
  { part: "tui", measure: "exec → first frame", subject: "sandpiper", limit: 80 },
  { part: "tui", measure: "key → echo", subject: "99th percentile of a run", limit: 16 },
  { part: "tui", measure: "bytes written for a token", subject: "200 a second", limit: 100 },
  { part: "tui", measure: "memory after 10,000 more tokens, MiB", subject: "growth", limit: 8 },
];

/** Median, percentiles and length of a list; what is no number is left out. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  const at = (share: number): number | null =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? null;
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  const median = low === undefined || high === undefined ? null : (low + high) / 2;
  return { median, p10: at(0.1), p90: at(0.9), count: sorted.length };
}

/** The numbers of a part as Markdown, each with its goal where it has one. */
export function partTable({ part, measures }: Part): string {
  const head = [part, "", "median", "10 %", "90 %", "n", "goal", ""];
  const rows = Object.entries(measures).flatMap(([measure, by]) =>
    Object.entries(by).map(([subject, { median, p10, p90, count }]) => {
      const goal = GOALS.find((goal) => goal.part === part && goal.measure === measure && goal.subject === subject);
      const cells = [measure, subject, shown(median), shown(p10), shown(p90), String(count)];
      return goal ? [...cells, limitText(goal), verdict(goal, by, measures)] : [...cells, "", ""];
    })
  );
  const absent = GOALS.filter((goal) => goal.part === part && !measures[goal.measure]?.[goal.subject])
    .map((goal) => [goal.measure, goal.subject, "–", "–", "–", "0", limitText(goal), "not measured"]);
  const line = head.map((_, i) => i < 2 ? "---" : "---:");
  return [head, line, ...rows, ...absent].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

function limitText({ limit, over }: PartGoal): string {
  if (!over) return `≤ ${limit}`;
  return over.by === "ratio" ? `≤ ${limit} × ${over.subject}` : `≤ ${over.subject} + ${limit}`;
}

function verdict(
  { subject, limit, over, scale }: PartGoal,
  by: Readonly<Record<string, Spread>>,
  measures: Part["measures"],
): string {
  const [value, base] = [by[subject]?.median, over ? by[over.subject]?.median : 0];
  if (value === undefined || value === null || base === undefined || base === null) return "not measured";
  const judged = over?.by === "ratio" ? value / base : value - base;
  const told = over ? ` (${over.by === "ratio" ? `${judged.toFixed(2)} ×` : `+ ${shown(judged)}`})` : "";
  const reference = scale && measures[scale.measure]?.[scale.subject]?.median;
  const here = scale && reference ? limit * Math.max(1, reference / scale.thereMs) : limit;
  if (judged <= limit || here === limit) return (judged <= limit ? "met" : "**missed**") + told;
  return `${judged <= here ? "met here" : "**missed**"} (≤ ${shown(here)})`;
}

/** Milliseconds or counts: as many digits as say something. */
function shown(value: number | null): string {
  if (value === null) return "–";
  if (Number.isInteger(value)) return value.toLocaleString("en");
  return value.toFixed(Math.abs(value) < 1 ? 3 : Math.abs(value) < 100 ? 1 : 0);
}
