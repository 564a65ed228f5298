/** Places of which there are so many; whoever comes later waits, in order. */
export interface Slots {
  /** Gives what frees the place again; undefined: `signal` aborted first. */
  readonly enter: (signal: AbortSignal) => Promise<(() => void) | undefined>;
}

/** So many places. */
export function createSlots(most: number): Slots {
  let taken = 0;
  const waiting: (() => void)[] = [];
  const leave = (): void => {
    taken--;
    waiting.shift()?.();
  };
  return {
    async enter(signal) {
      if (signal.aborted) return undefined;
      if (taken >= most) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const stop = (): void => {
          const at = waiting.indexOf(resolve);
          if (at >= 0) waiting.splice(at, 1);
          resolve();
        };
        waiting.push(resolve);
        signal.addEventListener("abort", stop, { once: true });
        await promise;
        signal.removeEventListener("abort", stop);
        if (signal.aborted) {
          // A place that was given up meanwhile goes to the next.
          if (taken < most) waiting.shift()?.();
          return undefined;
        }
      }
      taken++;
      return leave;
    },
  };
}
