/** How long a search may take before it reports what it has, milliseconds. */
const SEARCH_BUDGET_MS = 20_000;

/**
 * When a search is ended from outside, milliseconds. It looks at its own clock between two pieces of text; within one the
 * regular expression engine cannot be interrupted.
 */
export const SEARCH_DEADLINE_MS = SEARCH_BUDGET_MS + 5_000;

/** Work longer than this without a break would keep an abort from being heard, milliseconds. */
const BREATH_MS = 100;

/** The clock of one search. */
export interface Pace {
  /** Whether the budget is spent. */
  readonly isOver: () => boolean;
  /** A promise to await when the event loop needs a turn; undefined most of the time, and then costs nothing. */
  readonly breathe: () => Promise<void> | undefined;
}

/** Starts the clock. File calls are synchronous: without breaths an abort could not arrive during a search. */
export function startPace(budgetMs: number = SEARCH_BUDGET_MS, now: () => number = () => performance.now()): Pace {
  const start = now();
  let breathed = start;
  return {
    isOver: () => now() - start > budgetMs,
    breathe() {
      if (now() - breathed < BREATH_MS) return undefined;
      return new Promise((resolve) =>
        setTimeout(() => {
          breathed = now();
          resolve();
        }, 0)
      );
    },
  };
}

/** What a search says whose time ran out. */
export function unfinished(advice: string): string {
  return `Search stopped after ${SEARCH_BUDGET_MS / 1000} seconds, not everything was searched. ${advice}`;
}
