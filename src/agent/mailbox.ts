/** A queue from callbacks and promises to a generator that waits for its items. */
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
