/** What earlier sessions left (R401–R405). */
export interface MemorySnapshot {
  /** Day of the snapshot, `YYYY-MM-DD`; recent notes are counted back from it. */
  readonly today: string;
  /** Lasting facts, oldest first. */
  readonly longTerm?: readonly string[];
  /** What sessions left, in any order; `date` is `YYYY-MM-DD`. */
  readonly recent?: readonly { readonly date: string; readonly summary: string; readonly path?: string }[];
  /** Lines of recent notes; 50 unless told otherwise. */
  readonly maxItems?: number;
  /** Days back, `today` included; 7 unless told otherwise. */
  readonly days?: number;
}
