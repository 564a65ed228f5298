/** How often one of `k` attempts would pass, where `passed` of `count` did: the estimate of Chen et al. (2021), without bias. */
export function passAt(k: number, count: number, passed: number): number | undefined {
  if (k > count) return undefined;
  let allFail = 1;
  for (let at = 0; at < k; at++) allFail *= Math.max(0, count - passed - at) / (count - at);
  return 1 - allFail;
}

/** A difference, and where it lies with the given confidence. */
export interface Difference {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  /** How many pairs it is made from. */
  readonly pairs: number;
}

const RESAMPLES = 10_000;
/** Draws altogether: with many pairs the interval hardly moves from one resample to the next. */
const MOST_DRAWS = 20_000_000;

/**
 * The mean of paired differences with its interval of 95 %: pairs are drawn anew with replacement, and the means' middle
 * 95 % is the interval (percentile bootstrap). The same numbers give the same interval. Undefined for no pairs.
 */
export function pairedDifference(differences: readonly number[]): Difference | undefined {
  const pairs = differences.length;
  if (pairs === 0) return undefined;
  const random = generator(pairs);
  const resamples = Math.max(1000, Math.min(RESAMPLES, Math.floor(MOST_DRAWS / pairs)));
  const values = Float64Array.from(differences);
  const means = new Float64Array(resamples);
  for (let at = 0; at < resamples; at++) {
    let sum = 0;
    for (let draw = 0; draw < pairs; draw++) sum += values[Math.floor(random() * pairs)] ?? 0;
    means[at] = sum / pairs;
  }
  means.sort();
  const at = (share: number): number => means[Math.min(resamples - 1, Math.floor(share * resamples))] ?? 0;
  return { mean: mean(differences), low: at(0.025), high: at(0.975), pairs };
}

/** The arithmetic mean; NaN of nothing. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The middle value; NaN of nothing. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] ?? NaN : ((sorted[half - 1] ?? NaN) + (sorted[half] ?? NaN)) / 2;
}

/** Numbers from 0 up to 1, always the same ones after the same seed: Marsaglia's xorshift of 32 bits. */
function generator(seed: number): () => number {
  let state = (seed * 2_654_435_761) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
