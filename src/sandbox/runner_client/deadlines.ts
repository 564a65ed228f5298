/** Deadlines of calls, nearly all of which are over long before. */
export interface Deadlines {
  /** Calls back in `ms` milliseconds, unless the returned function is called first. */
  readonly start: (ms: number, onLate: () => void) => () => void;
  /** Forgets them all. */
  readonly close: () => void;
}

interface Deadline {
  /** Of `performance.now()`. */
  readonly at: number;
  readonly onLate: () => void;
}

/** Keeps deadlines with one timer, which stays set from call to call: one for each would cost a tenth of a short call. */
export function createDeadlines(): Deadlines {
  const open = new Set<Deadline>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let setFor = Infinity;

  const set = (at: number): void => {
    clearTimeout(timer);
    setFor = at;
    timer = setTimeout(look, Math.max(0, at - performance.now()));
    // A call that is waited for keeps the process; a timer that is left over from one must not.
    Deno.unrefTimer(timer);
  };

  const look = (): void => {
    setFor = Infinity;
    const now = performance.now();
    const late = [...open].filter(({ at }) => at <= now).sort((a, b) => a.at - b.at);
    for (const deadline of late) {
      // What one does may have ended another.
      if (open.delete(deadline)) deadline.onLate();
    }
    const next = Math.min(...[...open].map(({ at }) => at));
    if (next < setFor) set(next);
  };

  return {
    start(ms, onLate) {
      const deadline = { at: performance.now() + ms, onLate };
      open.add(deadline);
      if (deadline.at < setFor) set(deadline.at);
      return () => void open.delete(deadline);
    },
    close() {
      clearTimeout(timer);
      setFor = Infinity;
      open.clear();
    },
  };
}
