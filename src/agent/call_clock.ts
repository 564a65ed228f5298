/** How long a call worked, and how long it waited for a person's answer; milliseconds, to a tenth. */
export interface CallTimes {
  readonly durationMs: number;
  /** Absent where nobody was asked. */
  readonly waitedMs?: number;
}

/** The clock of one call. */
export interface CallClock {
  /** Pauses the clock until the returned function is called; pauses do not nest. */
  readonly wait: () => () => void;
  /** The times so far; a pause that has not ended counts up to now. */
  readonly read: () => CallTimes;
}

/** Starts a clock; `now` in milliseconds, of a clock that nobody sets. */
export function startCallClock(now: () => number): CallClock {
  const start = now();
  let waited: number | undefined;
  let since: number | undefined;
  const end = (): void => {
    if (since !== undefined) waited = (waited ?? 0) + now() - since;
    since = undefined;
  };
  return {
    wait() {
      end();
      since = now();
      return end;
    },
    read() {
      end();
      const durationMs = now() - start - (waited ?? 0);
      return waited === undefined
        ? { durationMs: tenths(durationMs) }
        : { durationMs: tenths(durationMs), waitedMs: tenths(waited) };
    },
  };
}

function tenths(ms: number): number {
  return Math.max(0, Math.round(ms * 10) / 10);
}
