/** Medians of one peer in one scenario; null where no run did all that was scripted. */
export interface Summary {
  readonly runs: number;
  readonly good: number;
  readonly problems: readonly string[];
  readonly wallMs: number | null;
  /** Largest sum over the process tree. */
  readonly memoryMb: number | null;
  /** From exec to the arrival of the first request. */
  readonly startMs: number | null;
  /** From the last byte of the last reply to the end of the process. */
  readonly exitMs: number | null;
  readonly firstBytes: number | null;
  /** By turn: from the last byte of a reply to the arrival of the next request. */
  readonly overheadMs: Readonly<Record<string, number | null>>;
  readonly growthMsPer100Turns: number | null;
}

/** What `run.mjs` writes: scenario, then peer. */
export interface Results {
  readonly runs: number;
  readonly scenarios: Readonly<Record<string, Readonly<Record<string, Summary>>>>;
}

/** One number to reach: at most `limit`, or at most `limit` times the floor's. */
interface Goal {
  readonly name: string;
  readonly scenario: string;
  readonly value: (summary: Summary) => number | null | undefined;
  readonly limit: number;
  readonly unit: "ms" | "MB" | "bytes" | "×";
}

/** The floor of the ratios: like the product it uses no code cache in the temp folder. */
export const FLOOR = "floor-tuned-nocache";

const GOALS: readonly Goal[] = [
  { name: "exec → first request", scenario: "hello", value: (s) => s.startMs, limit: 1.3, unit: "×" },
  { name: "reply → next request, turn 1", scenario: "read", value: (s) => s.overheadMs["1"], limit: 10, unit: "ms" },
  { name: "… turn 50", scenario: "read", value: (s) => s.overheadMs["50"], limit: 3, unit: "ms" },
  { name: "… turn 200", scenario: "read", value: (s) => s.overheadMs["200"], limit: 3, unit: "ms" },
  { name: "… growth per 100 turns", scenario: "read", value: (s) => s.growthMsPer100Turns, limit: 0.3, unit: "ms" },
  { name: "peak memory, one turn", scenario: "hello", value: (s) => s.memoryMb, limit: 140, unit: "MB" },
  { name: "peak memory, 200 turns", scenario: "read", value: (s) => s.memoryMb, limit: 150, unit: "MB" },
  { name: "first request", scenario: "hello", value: (s) => s.firstBytes, limit: 5500, unit: "bytes" },
  { name: "task of 20 calls", scenario: "task20", value: (s) => s.wallMs, limit: 500, unit: "ms" },
  { name: "8,000 streamed events", scenario: "stream", value: (s) => s.exitMs, limit: 1.2, unit: "×" },
];

/** The table of goals as Markdown: what was measured, each floor and peer beside it, ratio, goal, met or missed. */
export function goalTable(results: Results, product = "sandpiper"): string {
  const peers = [...new Set(Object.values(results.scenarios).flatMap((by) => Object.keys(by)))];
  const others = peers.filter((peer) => peer !== product);
  const rows = GOALS.filter(({ scenario }) => scenario in results.scenarios).map((goal) => {
    const of = (peer: string): number | undefined => {
      const summary = results.scenarios[goal.scenario]?.[peer];
      return (summary && goal.value(summary)) ?? undefined;
    };
    const [value, floor] = [of(product), of(FLOOR)];
    const ratio = value !== undefined && floor ? value / floor : undefined;
    const judged = goal.unit === "×" ? ratio : value;
    const verdict = judged === undefined ? "not measured" : judged <= goal.limit ? "met" : "**missed**";
    const unit = goal.unit === "×" ? "ms" : goal.unit;
    return [
      goal.name,
      shown(value, unit),
      shown(ratio, "×"),
      goal.unit === "×" ? `≤ ${goal.limit} ×` : `≤ ${shown(goal.limit, goal.unit)}`,
      verdict,
      ...others.map((peer) => shown(of(peer), unit)),
    ];
  });
  const head = ["", product, `/ ${FLOOR}`, "goal", "", ...others];
  return [head, head.map((_, i) => (i === 0 ? "---" : "---:")), ...rows].map((row) => `| ${row.join(" | ")} |`).join(
    "\n",
  );
}

/** Why runs did not count, one line for each peer and scenario that had any. */
export function problemLines(results: Results): string[] {
  return Object.entries(results.scenarios).flatMap(([scenario, by]) =>
    Object.entries(by).filter(([, { good, runs }]) => good < runs).map(([peer, { good, runs, problems }]) =>
      `${scenario}, ${peer}: ${good} of ${runs} runs count: ${problems.join("; ")}`
    )
  );
}

function shown(value: number | undefined, unit: string): string {
  if (value === undefined) return "–";
  const digits = unit === "×" ? 2 : unit === "ms" && Math.abs(value) < 20 ? 1 : 0;
  return unit === "×" ? value.toFixed(digits) : `${Number(value.toFixed(digits)).toLocaleString("en")} ${unit}`;
}
