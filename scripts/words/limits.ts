/** Highest allowed weight of markers per 1,000 lines of prose, by area. Lower it when a rewrite allows it; never raise it. */
export const MAX_MARKERS = {
  README: 12,
  docs: 8,
  ARCHITECTURE: 345,
  CHANGELOG: 398,
  strings: 205,
  comments: 640,
} as const;

/** Highest allowed values for README.md and each hand-written page with {@link MIN_SENTENCES} sentences or more. */
export const PAGE_LIMITS: { readonly mean: number; readonly over30: number; readonly links: number } = {
  mean: 14,
  over30: 4,
  links: 2.7,
};

export const MIN_SENTENCES = 20;
