/** Random numbers that a seed gives again: mulberry32. */
export interface Seeded {
  /** In [0, 1). */
  next(): number;
  /** An integer in [0, end). */
  below(end: number): number;
  chance(share: number): boolean;
  pick<T>(items: readonly T[]): T;
}

/** The sequence of a seed. */
export function seeded(seed: number): Seeded {
  let state = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number): number => Math.floor(next() * end);
  return {
    next,
    below,
    chance: (share) => next() < share,
    pick: (items) => items[below(items.length)]!,
  };
}
