import type { Attributes, Histogram, Span } from "./otlp.ts";

/** Sums up spans of requests as the conventions for generative AI say. */
export interface Metrics {
  readonly take: (span: Span) => void;
  /** Those that have a point. */
  readonly histograms: () => readonly Histogram[];
}

/** Bounds that the conventions advise. */
const TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864];
const SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];

/** What a point is told apart by; a name of a person or a file is never among it. */
const DIMENSIONS = ["gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model", "error.type"] as const;

/** No points yet. */
export function createMetrics(): Metrics {
  const tokens = histogram("gen_ai.client.token.usage", "{token}", "Tokens of a request", TOKENS);
  const durations = histogram("gen_ai.client.operation.duration", "s", "Time of a request", SECONDS);
  return {
    take({ attributes, startMs, endMs }) {
      if (attributes["gen_ai.operation.name"] !== "chat") return;
      const own = Object.fromEntries(DIMENSIONS.map((name) => [name, attributes[name]]));
      durations.add((endMs - startMs) / 1000, own);
      const { "error.type": _, ...rest } = own;
      for (const type of ["input", "output"]) {
        const count = attributes[`gen_ai.usage.${type}_tokens`];
        if (typeof count === "number") tokens.add(count, { ...rest, "gen_ai.token.type": type });
      }
    },
    histograms: () => [tokens.view(), durations.view()].filter(({ points }) => points.length > 0),
  };
}

function histogram(name: string, unit: string, description: string, bounds: readonly number[]) {
  const points = new Map<string, { attributes: Attributes; counts: number[]; sum: number; min: number; max: number }>();
  return {
    add(value: number, attributes: Attributes): void {
      const key = JSON.stringify(attributes);
      const empty = { attributes, counts: Array(bounds.length + 1).fill(0), sum: 0, min: value, max: value };
      const point = points.get(key) ?? empty;
      points.set(key, point);
      const at = bounds.findIndex((bound) => value <= bound);
      const bucket = at < 0 ? bounds.length : at;
      point.counts[bucket] = (point.counts[bucket] ?? 0) + 1;
      point.sum += value;
      point.min = Math.min(point.min, value);
      point.max = Math.max(point.max, value);
    },
    view: (): Histogram => ({ name, unit, description, bounds, points: [...points.values()] }),
  };
}
