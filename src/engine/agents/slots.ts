/** A counting semaphore: a fixed number of slots; whoever finds none free waits in order of arrival. */
export interface Slots {
  /** Waits for a slot and gives the function that frees it; undefined if `signal` aborts first. */
  readonly enter: (signal: AbortSignal) => Promise<(() => void) | undefined>;
}

/** A semaphore with `most` slots. */
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
          // If the waiter gave up in the meantime, its slot goes to the next one.
          if (taken < most) waiting.shift()?.();
          return undefined;
        }
      }
      taken++;
      return leave;
    },
  };
}
