/** Carries what callbacks and promises deliver into a generator that waits for it. */
export interface Mailbox<T> {
  put(item: T): void;
  /** Everything that has arrived, at least one item; waits for the first. One reader at a time. */
  take(): Promise<readonly T[]>;
}

/** An empty mailbox. */
export function createMailbox<T>(): Mailbox<T> {
  let items: T[] = [];
  let arrival = Promise.withResolvers<void>();
  return {
    put(item) {
      items.push(item);
      arrival.resolve();
    },
    async take() {
      await arrival.promise;
      const taken = items;
      items = [];
      arrival = Promise.withResolvers();
      return taken;
    },
  };
}
