// Medians over the runs of one peer in one scenario.

const FIELDS = ["noise", "wallMs", "memoryMb", "startMs", "exitMs", "firstBytes", "systemChars", "toolsBytes"];
const COUNTS = ["sideRequests", "connections"];
const TURNS = [1, 2, 5, 10, 20, 50, 100, 200, 500];

/** The middle of the numbers in a list; null when there is none. */
export function median(values) {
  const sorted = values.filter((value) => typeof value === "number").sort((a, b) => a - b);
  if (sorted.length === 0) return null;
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Median, tenth and ninetieth percentile of a list, and how long it is. */
export function spread(values) {
  const sorted = values.filter((value) => typeof value === "number").sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? null;
  return { median: median(sorted), p10: at(0.1), p90: at(0.9), count: sorted.length };
}

/** Only runs that did everything scripted count; without any, all fields are null and `problems` says why. */
export function summarize(runs) {
  const good = runs.filter((run) => run.problems.length === 0);
  const summary = { runs: runs.length, good: good.length, problems: [...new Set(runs.flatMap((run) => run.problems))] };
  for (const field of [...FIELDS, ...COUNTS]) summary[field] = median(good.map((run) => run[field]));
  const turns = Math.max(0, ...good.map((run) => run.overheadMs.length));
  summary.overheadMs = {};
  for (const turn of TURNS.filter((turn) => turn <= turns)) {
    // Around a turn, its neighbours count too: a single one is mostly noise. The first two are unlike all others.
    const reach = turn <= 2 ? 0 : turn <= 5 ? 2 : 4;
    const around = (run) => run.overheadMs.slice(turn - 1 - reach, turn + reach);
    summary.overheadMs[turn] = median(good.map((run) => median(around(run))));
  }
  const byTurn = Array.from({ length: turns }, (_, i) => median(good.map((run) => run.overheadMs[i])));
  summary.growthMsPer100Turns = turns >= 80 ? 100 * slope(byTurn) : null;
  return summary;
}

/** Least squares over the turns after the fifth, milliseconds a turn. */
function slope(byTurn) {
  const points = byTurn.map((y, i) => [i + 1, y]).filter(([x, y]) => x > 5 && y !== null);
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / points.length;
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / points.length;
  const covariance = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  return covariance / points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
}
